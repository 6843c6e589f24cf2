import { answerGrammarSteps, type AnswerConstraint } from '../../../src/core/grammar/constraint.ts';
import { compileSteps, type CompiledGrammar } from '../../../src/core/grammar/engine/matcher.ts';
import { programSteps, type Program } from '../../../src/core/grammar/engine/program.ts';
import type { Vocabulary } from '../../../src/core/grammar/engine/vocabulary.ts';
import type { Expression } from '../../../src/core/grammar/languages/expression.ts';
import { jsonSchemaSteps } from '../../../src/core/grammar/schemas/json-schema.ts';
import { runSteps } from '../../../src/core/run-steps.ts';

/** The steps of the engine without pauses. */
export function answerGrammar(constraint: AnswerConstraint): Expression | undefined {
  return runSteps(answerGrammarSteps(constraint));
}

export function jsonSchemaGrammar(...args: Parameters<typeof jsonSchemaSteps>): Expression {
  return runSteps(jsonSchemaSteps(...args));
}

export function compileGrammar(grammar: Expression, vocabulary: Vocabulary): CompiledGrammar {
  return runSteps(compileSteps(grammar, vocabulary));
}

export function createProgram(grammar: Expression, writesAll = true): Program {
  return runSteps(programSteps(grammar, writesAll));
}
