import type { ToolCallConstraint } from '../chat/tool-calls/constraint.ts';
import {
  choice,
  empty,
  never,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from './languages/expression.ts';
import { matching } from './languages/regular-expression.ts';
import { writtenGrammar, regexGrammar } from './notations/grammar-notation.ts';
import { jsonSchemaSteps } from './schemas/json-schema.ts';
import { anyObject, looseText, type ArgumentsNotation } from './schemas/notation.ts';
import { createSchemaBudget, type SchemaBudget } from './schemas/size.ts';

/** The required form of an answer's text. */
export type ResponseFormat =
  | { readonly type: 'text' }
  /** Any JSON object. */
  | { readonly type: 'json-object' }
  /** A JSON document that is valid against the schema. */
  | {
      readonly type: 'json-schema';
      readonly schema: unknown;
      /** The schema's JSON text, which preserves digits and key order. */
      readonly schemaText?: string | undefined;
    }
  /** A text that the regular expression (ECMA-262) matches completely. */
  | { readonly type: 'regex'; readonly regex: string }
  /** One of these texts. */
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A text of a grammar in GBNF, the notation of llama.cpp, or in Lark. */
  | { readonly type: 'grammar'; readonly grammar: string };

export interface CallableTool {
  readonly name: string;
  /** JSON Schema of the arguments object; by default, an object without members. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Whether an unsupported schema is an error even if no call is required. */
  readonly strict?: boolean | undefined;
}

export interface CallConstraint {
  readonly tools: readonly CallableTool[];
  /** `optional`: the answer is free until a call begins. `required`: it consists of one or more calls. `once`: exactly one. */
  readonly choice: 'optional' | 'required' | 'once';
  /** Whether several calls are allowed, if the format supports them. */
  readonly parallel: boolean;
  readonly format: ToolCallConstraint;
}

/** Delimiters of a model's reasoning before its answer. */
export interface ReasoningConstraint {
  readonly open: readonly string[];
  readonly close: readonly string[];
  /** Whether the prompt ends inside the reasoning. */
  readonly startsOpen: boolean;
  /** Text directly after `close`; default: white space. */
  readonly after?: string | undefined;
  /** The frame of an answer without calls. */
  readonly frame?:
    | {
        readonly open: string | readonly string[];
        readonly close: string | readonly string[];
        /** Default false. */
        readonly isRequired?: boolean | undefined;
      }
    | undefined;
}

export interface AnswerConstraint {
  readonly response: ResponseFormat;
  readonly calls?: CallConstraint | undefined;
  /** For reasoning models; the reasoning itself is unconstrained. */
  readonly reasoning?: ReasoningConstraint | undefined;
  /** Whether objects whose schemas don't specify it may have additional properties; see `isOpen` of `jsonSchemaSteps`. */
  readonly opensObjects?: boolean | undefined;
}

/**
 * The grammar of the answers that a request allows. Required calls replace `response`; optional calls are an
 * alternative to it, and their arguments may be any object if the schema isn't supported. Yields after each part of
 * bounded cost. All schemas share one budget.
 */
export function* answerGrammarSteps(constraint: AnswerConstraint): Generator<void, Expression | undefined> {
  const { response, calls, reasoning, opensObjects: isOpen } = constraint;
  const setting = { budget: createSchemaBudget(), isOpen };
  const document = framed(yield* documentGrammar(response, setting), reasoning?.frame);
  const answer = calls ? yield* withCalls(document, calls, setting) : document;
  if (!answer || !reasoning) return answer;
  const mayBreakOff = document === undefined && calls?.choice === 'optional';
  return behindReasoning(answer, reasoning, { mayBreakOff });
}

interface SchemaSetting {
  readonly budget: SchemaBudget;
  readonly isOpen: boolean | undefined;
}

function* documentGrammar(
  response: ResponseFormat,
  { budget, isOpen }: SchemaSetting,
): Generator<void, Expression | undefined> {
  switch (response.type) {
    case 'text':
      return undefined;
    case 'json-object':
      return anyObject;
    case 'json-schema':
      return yield* jsonSchemaSteps(response.schema, 'schema', budget, { isOpen });
    case 'regex':
      return regexGrammar(response.regex, budget);
    case 'choice':
      return text(...response.choices);
    case 'grammar':
      return writtenGrammar(response.grammar);
  }
}

function framed(
  document: Expression | undefined,
  frame: ReasoningConstraint['frame'],
): Expression | undefined {
  if (!document || !frame) return document;
  const inFrame = sequence(text(...[frame.open].flat()), document, text(...[frame.close].flat()));
  return frame.isRequired ? inFrame : choice(inFrame, document);
}

function* withCalls(
  document: Expression | undefined,
  calls: CallConstraint,
  setting: SchemaSetting,
): Generator<void, Expression> {
  const { choice: when, parallel, format } = calls;
  const values = new Map<ToolCallConstraint['arguments'], readonly Expression[]>();
  const ways: Way[] = [];
  for (const way of [format, ...(format.others ?? [])]) {
    const known = values.get(way.arguments) ?? (yield* argumentValues(calls, way, setting));
    values.set(way.arguments, known);
    ways.push(wayOf(calls, way, known));
  }
  const atStart = choice(...ways.map(({ section }) => section));
  if (when !== 'optional') return atStart;
  if (document) return choice(document, atStart);
  const later = choice(...ways.map(({ lead, section }) => sequence(text(lead), section)));
  const triggers = ways.flatMap((way) => way.triggers);
  const free = freeText(triggers);
  const after = ways.map(({ lead }) => lead).find((lead) => lead !== '');
  const first = freeText(triggers, { after });
  const isSingle = !parallel || format.separator === null;
  if (isSingle) return choice(first, sequence(first, later), ...(after === undefined ? [] : [atStart]));
  const start = after === undefined ? first : choice(first, sequence(atStart, free));
  return sequence(start, repeat(sequence(later, free), { min: 0, max: Infinity }));
}

/** Calls in one notation. */
interface Way {
  readonly section: Expression;
  /** Text before the section at the start of an answer. */
  readonly lead: string;
  /** Texts that must not occur in the free text before the section. */
  readonly triggers: readonly string[];
}

function wayOf(
  { tools, choice: when, parallel }: CallConstraint,
  { begin, separator, end, tail, call, trigger, lead = '' }: ToolCallConstraint,
  values: readonly Expression[],
): Way {
  const frames = tools.map(({ name }) => call(name));
  const one = choice(
    ...frames.map(({ prefix, suffix }, index) =>
      sequence(looseText(prefix), values[index]!, looseText(suffix)),
    ),
  );
  const isSingle = when === 'once' || !parallel || separator === null;
  const more = isSingle ? empty : repeat(sequence(looseText(separator), one), { min: 0, max: Infinity });
  const triggers =
    trigger === undefined ? frames.map(({ prefix }) => (begin + prefix).trimStart()) : [trigger];
  const optional = tail.reduceRight<Expression>(
    (rest, part) => choice(empty, sequence(looseText(part), rest)),
    empty,
  );
  return {
    section: sequence(looseText(begin), one, more, looseText(end), optional),
    lead,
    triggers: triggers.map((own) => lead + own),
  };
}

function* argumentValues(
  { tools, choice: when }: CallConstraint,
  way: ToolCallConstraint,
  setting: SchemaSetting,
): Generator<void, Expression[]> {
  const values: Expression[] = [];
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}].parameters`;
    const isPromised = when !== 'optional' || tool.strict === true;
    const notationOf = way.arguments?.(tool.parameters);
    let value: Expression;
    try {
      value = yield* argumentsGrammar(tool, path, setting, notationOf);
    } catch (error) {
      if (isPromised || !(error instanceof RangeError)) throw error;
      value = yield* jsonSchemaSteps({ type: 'object' }, path, createSchemaBudget(), { notationOf });
    }
    values.push(refer(rule(tool.name, value)));
    yield;
  }
  return values;
}

function* argumentsGrammar(
  tool: CallableTool,
  path: string,
  { budget, isOpen }: SchemaSetting,
  notationOf: ArgumentsNotation | undefined,
): Generator<void, Expression> {
  const { parameters = {} } = tool;
  const { type = 'object' } = parameters;
  if (type !== 'object') throw new RangeError(`${path}.type: expected "object"`);
  // Arguments are always an object, even if the schema doesn't specify it; without parameters it is empty.
  const isEmpty = Object.keys(parameters).length === 0;
  const schema = { type: 'object', ...(isEmpty ? { additionalProperties: false } : parameters) };
  return yield* jsonSchemaSteps(schema, path, budget, { notationOf, isOpen });
}

function freeText(markers: readonly string[], { isClosed = false, after = '' } = {}): Expression {
  return { type: 'free-text', markers, isClosed, after };
}

const gap = matching(String.raw`[ \n]{0,4}`);

function behindReasoning(
  answer: Expression,
  { open, close, startsOpen, after }: ReasoningConstraint,
  { mayBreakOff }: { mayBreakOff: boolean },
): Expression {
  const closed = freeText(close, { isClosed: true });
  const thought = sequence(closed, after === undefined ? gap : text(after), answer);
  const unfinished = mayBreakOff ? freeText(close) : never;
  if (startsOpen) return choice(thought, unfinished);
  return choice(sequence(text(...open), choice(thought, unfinished)), answer);
}
