import type { JsonType } from '../../grammar/schemas/json-types.ts';

/**
 * A text of a notation with slots in it, such as `<function=⟨name⟩>`: `⟨name⟩` of the function, `⟨key⟩` of a parameter, `⟨id⟩` of
 * the call, `⟨number⟩` of the call within the answer. White space in it and between its tags is free when it is read.
 */
export type Edge = string;

/** How a value is written: as it is, as JSON, as Python, between special marks, or as nested elements. */
export type ValueStyle = 'raw' | 'json' | 'python' | 'marked' | 'elements';

interface Edges {
  /** Source of the notation: the chat template, or a row of `formatRows`; undefined for a setting. */
  readonly origin?: 'template' | 'row' | undefined;
  /** Before the first call. */
  readonly begin: Edge;
  /** Between two calls; `null` if an answer has a single call. */
  readonly between: Edge | null;
  /** Behind the last call. Models may omit parts of it. */
  readonly end: Edge;
  /** Before text at the start of an answer, if calls start without a mark; default empty. */
  readonly text?: Edge | undefined;
  /** The number of the first call; default 0. */
  readonly firstNumber?: number | undefined;
}

/** Calls with JSON arguments: each call is `before`, which has the name, then the arguments, then `behind`. */
export interface JsonNotation extends Edges {
  /** `json`: the call is a JSON object with the name inside. `name+json`: the name stands outside of the JSON. */
  readonly kind: 'json' | 'name+json';
  readonly before: Edge;
  readonly behind: Edge;
  /** Keys that lead to the name in the object of a `json` call; empty if the name is the key of the arguments. */
  readonly nameAt?: readonly string[] | undefined;
  /** Keys that lead to the arguments; empty if the name is their key. */
  readonly argumentsAt?: readonly string[] | undefined;
  /** Form of the call's id, if the id has the name in it: `functions.⟨name⟩:⟨number⟩`. */
  readonly id?: Edge | undefined;
}

/** Calls with a list of parameters after the name. */
export interface ItemsNotation extends Edges {
  readonly kind: 'items';
  /** Between the name and the first key. */
  readonly first: Edge;
  /** Between the name and the end of a call without arguments. */
  readonly none: Edge;
  /** Between the end of a value and the next key. */
  readonly next: Edge;
  /** Behind a value. */
  readonly close: Edge;
  /** Between a key and its value, by the type of the value. */
  readonly equals: Readonly<Record<JsonType, Edge>>;
  readonly values: Readonly<Record<JsonType, ValueStyle>>;
  /** On both sides of a `marked` string, or before each tag of `elements`. */
  readonly mark?: string | undefined;
}

/** How a model writes calls: made from its chat template by `deriveNotation`, or a row of data. */
export type CallNotation = JsonNotation | ItemsNotation;

/** The way to read the calls of a notation: as literals if brackets enclose the arguments. */
export function styleOf(notation: CallNotation): 'json' | 'name+json' | 'tagged' | 'elements' | 'literal' {
  if (notation.kind !== 'items') return notation.kind;
  if (notation.values.string === 'elements') return 'elements';
  return /^\s*[({]\s*$/.test(notation.first) ? 'literal' : 'tagged';
}

/** The text before each tag, if values are elements. */
export function elementMark(notation: CallNotation): string | undefined {
  return notation.kind === 'items' && notation.values.string === 'elements' ? notation.mark : undefined;
}
