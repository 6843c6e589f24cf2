import type { ToolCallConstraint } from '../tool-calls/format.ts';
import {
  character,
  choice,
  empty,
  never,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from './expression.ts';
import { jsonSchemaGrammar } from './json-schema.ts';
import { anyObject } from './notation.ts';

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
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Whether a schema that can't be honoured is refused even where no call is demanded. */
  readonly strict?: boolean | undefined;
}

/** Tools that an answer may call. */
export interface CallConstraint {
  readonly tools: readonly CallableTool[];
  /**
   * `optional`: the answer is free until a call begins. `required`: it is at least one call from the start. `once`:
   * exactly one.
   */
  readonly choice: 'optional' | 'required' | 'once';
  /** Whether there may be several calls, where the format has a way to write them. */
  readonly parallel: boolean;
  readonly format: ToolCallConstraint;
}

/** How a model writes its thinking before it answers. */
export interface ReasoningConstraint {
  readonly open: readonly string[];
  readonly close: readonly string[];
  /** Whether the prompt ends inside the thinking. */
  readonly startsOpen: boolean;
  /** What follows `close` before anything else; white space if left out. */
  readonly behind?: string | undefined;
  /** What stands around an answer that is no call. */
  readonly frame?:
    { readonly open: string; readonly close: string; readonly isRequired: boolean } | undefined;
}

/** What a model may answer to one request. */
export interface AnswerConstraint {
  readonly response: ResponseFormat;
  readonly calls?: CallConstraint | undefined;
  /** For models that think; the thinking stays free. */
  readonly reasoning?: ReasoningConstraint | undefined;
}

/** Reads a schema; `path` is how messages call it. */
export type ReadSchema = (schema: unknown, path?: string) => Expression;

/**
 * The grammar of the answers that a request allows.
 *
 * With required calls the answer is calls alone, whatever `response` is; with optional ones it is either. Where calls
 * are optional, arguments whose schema can't be honoured may be any object.
 *
 * @param read `jsonSchemaGrammar` if left out
 * @returns `undefined` where every text is allowed
 * @throws RangeError naming the keyword of a schema that can't be honoured, as `schema.properties.age.not` or
 * `tools[0].parameters.properties.age.not`
 *
 * @example
 * ```ts
 * answerGrammar({ response: { type: 'json-schema', schema: { type: 'array', items: { type: 'string' } } } });
 * ```
 */
export function answerGrammar(
  { response, calls, reasoning }: AnswerConstraint,
  read: ReadSchema = jsonSchemaGrammar,
): Expression | undefined {
  const document = framed(documentGrammar(response, read), reasoning?.frame);
  const answer = calls ? withCalls(document, calls, read) : document;
  if (!answer || !reasoning) return answer;
  const mayBreakOff = document === undefined && calls?.choice === 'optional';
  return behindReasoning(answer, reasoning, { mayBreakOff });
}

function documentGrammar(response: ResponseFormat, read: ReadSchema): Expression | undefined {
  if (response.type === 'text') return undefined;
  return response.type === 'json-object' ? anyObject : read(response.schema);
}

function framed(
  document: Expression | undefined,
  frame: ReasoningConstraint['frame'],
): Expression | undefined {
  if (!document || !frame) return document;
  const inFrame = sequence(text(frame.open), document, text(frame.close));
  return frame.isRequired ? inFrame : choice(inFrame, document);
}

function withCalls(document: Expression | undefined, calls: CallConstraint, read: ReadSchema): Expression {
  const { tools, choice: when, parallel, format } = calls;
  const { begin, trigger, separator, end } = format;
  const frames = tools.map((tool, index) => {
    const { prefix, suffix } = format.call(tool.name);
    const path = `tools[${index}].parameters`;
    const isPromised = when !== 'optional' || tool.strict === true;
    const value = isPromised ? argumentsGrammar(tool, path, read) : leniently(tool, path, read);
    return { prefix, rest: sequence(refer(rule(tool.name, value)), text(suffix)) };
  });
  const call = choice(...frames.map(({ prefix, rest }) => sequence(text(prefix), rest)));
  const isSingle = when === 'once' || !parallel || separator === null;
  const more = isSingle ? empty : repeat(sequence(text(separator), call), { min: 0, max: Infinity });
  const behindFirst = sequence(more, text(end));
  if (when !== 'optional') return sequence(text(begin), call, behindFirst);

  const first = choice(
    ...frames.map(({ prefix, rest }) => sequence(text(withoutStart(begin + prefix, trigger)), rest)),
  );
  const section = sequence(first, behindFirst);
  if (document) return choice(document, sequence(text(trigger), section));
  const untilCall: Expression = { type: 'text-until', markers: [trigger] };
  const free: Expression = { type: 'text-without', markers: [trigger] };
  if (isSingle) return choice(free, sequence(untilCall, section));
  return sequence(repeat(sequence(untilCall, section), { min: 0, max: Infinity }), free);
}

function leniently(tool: CallableTool, path: string, read: ReadSchema): Expression {
  try {
    return argumentsGrammar(tool, path, read);
  } catch (error) {
    if (error instanceof RangeError) return anyObject;
    throw error;
  }
}

function argumentsGrammar(tool: CallableTool, path: string, read: ReadSchema): Expression {
  const { type = 'object' } = tool.parameters ?? {};
  if (type !== 'object') throw new RangeError(`${path}.type: expected "object"`);
  return read(callableSchema(tool), path);
}

/** Arguments are always an object, also where the schema doesn't say so. */
export function callableSchema({ parameters }: CallableTool): Readonly<Record<string, unknown>> {
  return { type: 'object', ...parameters };
}

function withoutStart(full: string, start: string): string {
  if (full.startsWith(start)) return full.slice(start.length);
  throw new RangeError(`trigger: expected the beginning of a call, got ${JSON.stringify(start)}`);
}

const gap = repeat(character([0x20, 0x20], [0x0a, 0x0a]), { min: 0, max: 4 });

function behindReasoning(
  answer: Expression,
  { open, close, startsOpen, behind }: ReasoningConstraint,
  { mayBreakOff }: { readonly mayBreakOff: boolean },
): Expression {
  const closed: Expression = { type: 'text-until', markers: close };
  const thought = sequence(closed, behind === undefined ? gap : text(behind), answer);
  const unfinished: Expression = mayBreakOff ? { type: 'text-without', markers: close } : never;
  if (startsOpen) return choice(thought, unfinished);
  return choice(sequence(text(...open), choice(thought, unfinished)), answer);
}
