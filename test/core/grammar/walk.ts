import type { Expression } from '../../../src/core/grammar/languages/expression.ts';
import type { CompiledGrammar } from '../../../src/core/grammar/engine/matcher.ts';
import { createVocabulary, type Vocabulary } from '../../../src/core/grammar/engine/vocabulary.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { compileGrammar } from './all-at-once.ts';

const utf8 = new TextEncoder();

/** All single bytes, then these texts, then one token that ends. */
export function toyVocabulary(...texts: string[]): Vocabulary {
  const tokens = [
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    ...texts.map((text) => utf8.encode(text)),
  ];
  const endToken = tokens.length;
  return createVocabulary({
    size: endToken + 1,
    endTokens: new Set([endToken]),
    bytesOf: (token) => tokens[token] ?? new Uint8Array(),
  });
}

/** Pieces that cross the borders of strings, numbers and brackets. */
export const jsonPieces = [
  '": ',
  '", "',
  '"}',
  '{"',
  '":"',
  '"]',
  '["',
  '}}',
  'ab',
  'hello',
  ' wor',
  '12',
  '0.',
  'é',
  '日本',
  '\\"',
  '\\u00',
  'true',
  ': ',
  ', ',
  '],',
  'e"',
];

/** Texts that close strings and brackets in some format of tool calls. */
export const closers = [
  '\n</parameter>',
  '</parameter>',
  '</｜DSML｜parameter>',
  '<|close|>argument<|sep|>',
  '</steptml:parameter>',
  '</atem:parameter>',
  '</atem:invoke>',
  '</ifm|arg_value>',
  '</ifm|tool_call>',
  ...[':opensource', ':6124c78e'].flatMap((suffix) => [`</arg_value${suffix}>`, `</tool_call${suffix}>`]),
  ']<]minimax[>[',
  '</arg_value>',
  '</param>',
  '</longcat_arg_value>',
  '<|"|>',
  '<escape>',
  '"',
  "'",
  '}',
  ']',
  ')',
  '<',
  '\n',
  '/',
];

export function allowedTokens(mask: Uint32Array): number[] {
  const tokens: number[] = [];
  for (const [word, bits] of mask.entries()) {
    for (let bit = 0; bit < 32; bit++) if ((bits >>> bit) & 1) tokens.push(word * 32 + bit);
  }
  return tokens;
}

export interface WalkOptions {
  readonly seed: number;
  /** Beyond so many tokens, whatever closes something is taken first. */
  readonly patience?: number;
  /** Tokens beyond, after which the walk fails. */
  readonly most?: number;
  /** Tokens of these texts may close something. */
  readonly closers?: readonly string[];
}

/**
 * Writes a text by taking random allowed tokens until the grammar may end and an end token is drawn.
 *
 * @throws Error when no token is allowed, or the walk does not end
 */
export function randomWalk(
  grammar: CompiledGrammar,
  vocabulary: Vocabulary,
  { seed, patience = 60, most = 4_000, closers: own = ['"', '}', ']'] }: WalkOptions,
): string {
  const rng = createRng(seed);
  const matcher = grammar.createMatcher();
  const pieces: Uint8Array[] = [];
  for (let step = 0; step < patience + most; step++) {
    const allowed = allowedTokens(matcher.mask());
    if (allowed.length === 0) throw new Error(`no token is allowed after ${textOf(pieces)}`);
    // Now and then anything, since some grammars need more than brackets to end.
    const preferred = step < patience || rng.next() < 0.1 ? allowed : closing(allowed, vocabulary, own);
    const token = preferred[Math.floor(rng.next() * preferred.length)]!;
    matcher.accept(token);
    if (vocabulary.endTokens.has(token)) return textOf(pieces);
    pieces.push(vocabulary.bytesOf(token)!);
  }
  throw new Error(`no end in sight after ${textOf(pieces).slice(0, 200)}`);
}

function closing(
  allowed: readonly number[],
  vocabulary: Vocabulary,
  own: readonly string[],
): readonly number[] {
  const end = allowed.filter((token) => vocabulary.endTokens.has(token));
  if (end.length > 0) return end;
  const found = allowed.filter((token) => own.includes(textOf([vocabulary.bytesOf(token)!], false)));
  if (found.length > 0) return found;
  return allowed;
}

function textOf(pieces: readonly Uint8Array[], fatal = true): string {
  return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(
    Uint8Array.from(pieces.flatMap((piece) => [...piece])),
  );
}

const bytes = toyVocabulary();

/** Tells whether texts may be written under a grammar. */
export function acceptor(expression: Expression): (text: string) => boolean {
  const grammar = compileGrammar(expression, bytes);
  return (text) => {
    const matcher = grammar.createMatcher();
    for (const byte of utf8.encode(text)) {
      if (!allowedTokens(matcher.mask()).includes(byte)) return false;
      matcher.accept(byte);
    }
    return matcher.mayEnd;
  };
}

/** Whether a text may be written under a grammar. */
export function accepts(expression: Expression, text: string): boolean {
  return acceptor(expression)(text);
}
