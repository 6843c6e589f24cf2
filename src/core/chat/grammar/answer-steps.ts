import { answerGrammar, callableSchema, type AnswerConstraint } from './constraint.ts';
import type { Expression } from './expression.ts';
import { jsonSchemaGrammar, jsonSchemaSteps } from './json-schema.ts';
import { createSchemaBudget } from './schema-budget.ts';

/**
 * `answerGrammar` in slices: yields after each part of bounded cost. All schemas share one budget.
 *
 * @throws RangeError as `answerGrammar`
 */
export function* answerGrammarSteps(constraint: AnswerConstraint): Generator<void, Expression | undefined> {
  const budget = createSchemaBudget();
  const known = new Map<string, Expression | RangeError>();
  for (const { schema, path } of schemasOf(constraint)) {
    try {
      known.set(path, yield* jsonSchemaSteps(schema, path, budget));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      known.set(path, error);
    }
    yield;
  }
  return answerGrammar(constraint, (schema, path = 'schema') => {
    const found = known.get(path) ?? jsonSchemaGrammar(schema, path, budget);
    if (found instanceof RangeError) throw found;
    return found;
  });
}

function* schemasOf({ response, calls }: AnswerConstraint): Iterable<{ schema: unknown; path: string }> {
  if (response.type === 'json-schema') yield { schema: response.schema, path: 'schema' };
  for (const [index, tool] of calls?.tools.entries() ?? []) {
    yield { schema: callableSchema(tool), path: `tools[${index}].parameters` };
  }
}
