import type { ReasoningMarkers } from '../reasoning.ts';
import type { ToolCallConstraint } from '../tool-calls/format.ts';
import {
  character,
  choice,
  empty,
  optional,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from './expression.ts';
import { jsonSchemaGrammar } from './json-schema.ts';
import { anyObject } from './json-text.ts';

/** What an answer's text has to be. */
export type ResponseFormat =
  | { readonly type: 'text' }
  /** Some JSON object. */
  | { readonly type: 'json-object' }
  /** A JSON document that is valid by the schema. */
  | { readonly type: 'json-schema'; readonly schema: unknown };

export interface CallableTool {
  readonly name: string;
  /** JSON Schema of the arguments object; any object if left out. */
  readonly parameters?: unknown;
}

/** Tools that an answer may call. */
export interface CallConstraint {
  readonly tools: readonly CallableTool[];
  /**
   * `optional`: the answer is free until a call begins. `required`: it is at least one call from the start. `once`:
   * exactly one.
   */
  readonly choice: 'optional' | 'required' | 'once';
  readonly format: ToolCallConstraint;
}

/** What a model may answer to one request. */
export interface AnswerConstraint {
  readonly response: ResponseFormat;
  readonly calls?: CallConstraint | undefined;
  /** How the model thinks before it answers, if it does; the thinking stays free. */
  readonly reasoning?: ReasoningMarkers | undefined;
}

/**
 * The grammar of the answers that a request allows.
 *
 * With required calls the answer is calls alone, whatever `response` is; with optional ones it is either.
 *
 * @returns `undefined` where every text is allowed
 * @throws RangeError naming the keyword of a schema that can't be honoured, as `schema.properties.age.not` or
 * `tools[0].parameters.properties.age.not`
 *
 * @example
 * ```ts
 * answerGrammar({ response: { type: 'json-schema', schema: { type: 'array', items: { type: 'string' } } } });
 * ```
 */
export function answerGrammar({ response, calls, reasoning }: AnswerConstraint): Expression | undefined {
  const document = documentGrammar(response);
  const answer = calls ? withCalls(document, calls) : document;
  return answer && reasoning ? behindReasoning(answer, reasoning) : answer;
}

function documentGrammar(response: ResponseFormat): Expression | undefined {
  if (response.type === 'text') return undefined;
  return response.type === 'json-object' ? anyObject : jsonSchemaGrammar(response.schema);
}

function withCalls(
  document: Expression | undefined,
  { tools, choice: when, format }: CallConstraint,
): Expression {
  const frames = tools.map(({ name, parameters }, index) => {
    const { prefix, suffix } = format.call(name);
    const path = `tools[${index}].parameters`;
    const value =
      parameters === undefined
        ? anyObject
        : objectOnly(jsonSchemaGrammar(parameters, path), parameters, path);
    return { prefix, rest: sequence(refer(rule(name, value)), text(suffix)) };
  });
  const call = choice(...frames.map(({ prefix, rest }) => sequence(text(prefix), rest)));
  const isSingle = when === 'once' || format.separator === null;
  const more = isSingle ? empty : repeat(sequence(text(format.separator!), call), { min: 0, max: Infinity });
  const behindFirst = sequence(more, text(format.end));
  if (when !== 'optional') return sequence(text(format.begin), call, behindFirst);

  const { begin, trigger } = format;
  const triggered = choice(
    ...frames.map(({ prefix, rest }) => sequence(text(withoutStart(begin + prefix, trigger)), rest)),
  );
  const section = sequence(triggered, behindFirst);
  if (document) return choice(document, sequence(text(trigger), section));
  const untilCall: Expression = { type: 'text-until', markers: [trigger] };
  const free: Expression = { type: 'text-without', markers: [trigger] };
  if (isSingle) return choice(free, sequence(untilCall, section));
  return sequence(repeat(sequence(untilCall, section), { min: 0, max: Infinity }), free);
}

/** Arguments are always an object, also where the schema doesn't say so. */
function objectOnly(grammar: Expression, parameters: unknown, path: string): Expression {
  const { type } = (parameters ?? {}) as { type?: unknown };
  if (type === 'object') return grammar;
  if (typeof parameters === 'object' && parameters !== null && Object.keys(parameters).length === 0)
    return anyObject;
  throw new RangeError(`${path}.type: expected "object"`);
}

function withoutStart(full: string, start: string): string {
  if (!full.startsWith(start))
    throw new RangeError(`trigger: expected the beginning of a call, got ${JSON.stringify(start)}`);
  return full.slice(start.length);
}

const gap = repeat(character([0x20, 0x20], [0x0a, 0x0a]), { min: 0, max: 4 });

function behindReasoning(answer: Expression, { open, close, startsOpen }: ReasoningMarkers): Expression {
  const thought = sequence({ type: 'text-until', markers: [close].flat() }, gap);
  return sequence(startsOpen ? thought : optional(sequence(text(...[open].flat()), thought)), answer);
}
