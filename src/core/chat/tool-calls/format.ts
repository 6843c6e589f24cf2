import type { ToolDefinition } from '../messages.ts';
import { createConstraint, type ToolCallConstraint } from './constraint.ts';
import { tagsOf, tokensIn } from './edges.ts';
import type { CallNotation } from './notation.ts';
import type { ToolCallParser, ToolCallParserOptions } from './parser.ts';
import { createReader, marksOf, type CallMarks } from './reader.ts';
import { writeCalls, type WrittenCall } from './write-calls.ts';

/** Evidence by which a format is recognized. */
export interface ModelTraits {
  /** Jinja source of the chat template, all its variants joined. */
  readonly template: string;
  /** Whether the tokenizer has this text as one token. */
  hasToken(token: string): boolean;
}

/** A text or a pattern that a template holds, or several that it holds together. */
export type Evidence = string | RegExp | readonly (string | RegExp)[];

/**
 * Recognizes the models of a format by their template.
 * @param token a token that only their tokenizers have
 */
export function recognizes(evidence: Evidence, token?: string): (model: ModelTraits) => boolean {
  const parts = [evidence].flat();
  return ({ template, hasToken }) =>
    (token !== undefined && hasToken(token)) ||
    parts.every((part) => (typeof part === 'string' ? template.includes(part) : part.test(template)));
}

/** How the models of one template, or of one row, write tool calls. */
export interface ToolCallFormat {
  /** Name for the setting `toolCallFormat`; `template` if it was derived. */
  readonly name: string;
  /** Example of an answer that calls a tool, for documentation. */
  readonly example: string;
  /** Whether one answer may hold several calls. */
  readonly parallel: boolean;
  /** The notations that are read; the first is the one in which calls are written. */
  readonly notations: readonly CallNotation[];
  /**
   * Texts that carry structure. Where the tokenizer has one of them as a special token, the token's text must reach
   * the parser although special tokens are no part of an answer otherwise.
   */
  readonly markers: readonly string[];
  /** Markers that calls begin with: a call inside the thinking ends it. */
  readonly openers: readonly string[];
  /** @param tools the tools of the request: some formats leave it to their schemas what type a value has */
  createParser(tools: readonly ToolDefinition[], options?: ToolCallParserOptions): ToolCallParser;
  /** Writes calls as the models do. */
  write(calls: readonly WrittenCall[]): string;
  readonly constraint: ToolCallConstraint;
}

/**
 * Makes the reader, the grammar and the writer of some notations.
 * @param alsoRead notations that are read too, and never written
 */
export function createFormat(
  name: string,
  notations: readonly [CallNotation, ...CallNotation[]],
  alsoRead: readonly CallNotation[] = [],
): ToolCallFormat {
  const [first] = notations;
  const begins = new Set(notations.map(({ begin }) => begin.trim()));
  const read = [...notations, ...alsoRead.filter(({ begin }) => !begins.has(begin.trim()))];
  const ways = read.map(marksOf);
  const write = (calls: readonly WrittenCall[]): string => writeCalls(first, calls);
  const [constraint, ...others] = notations.filter(isWritten).map(createConstraint);
  return {
    name,
    notations: read,
    parallel: first.between !== null,
    markers: [...new Set(read.flatMap(markersOf))],
    openers: [...new Set(ways.flatMap(openersOf))],
    createParser: createReader(ways),
    write,
    example: write([{ name: 'get_weather', arguments: '{"city": "Paris"}' }]),
    constraint: { ...constraint!, others },
  };
}

/** Whether a notation has no slot for any word. */
function isWritten({ begin, ...rest }: CallNotation): boolean {
  return ![begin, 'before' in rest ? rest.before : ''].some((edge) => edge.includes('⟨key⟩'));
}

/** Describes how a model writes tool calls. */
export interface ToolCallFacts extends Pick<ToolCallFormat, 'example' | 'notations'> {
  /** Name of the format; `template` if it was derived. */
  readonly format: string;
  readonly origin: 'template' | 'row' | 'setting';
}

/** Describes the tool calls of a format. */
export function toolCallFacts({ name, example, notations }: ToolCallFormat): ToolCallFacts {
  return { format: name, origin: notations[0]!.origin ?? 'setting', example, notations };
}

function markersOf(notation: CallNotation): readonly string[] {
  const values = Object.values(notation).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null ? Object.values(value) : [value],
  );
  const edges = values.filter((value) => typeof value === 'string');
  const wholeTags = edges.flatMap(tagsOf).filter((tag) => /^[<[][^⟨]*[>\]]$/.test(tag));
  return [...wholeTags, ...edges.flatMap(tokensIn)];
}

/** Tags before a call of which each begins one; empty if the first is a word, because thinking may quote the rest. */
function openersOf({ opening }: CallMarks): readonly string[] {
  const isTag = (tag: string): boolean => /^[<[]\W?\w\w/.test(tag);
  return isTag(opening[0] ?? '') ? opening.filter(isTag).map((tag) => /^[^⟨\s]+/.exec(tag)![0]) : [];
}
