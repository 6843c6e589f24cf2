import { getOrCreate } from '../get-or-create.ts';
import { lowerBound } from './scratch.ts';
import { assertCount, assertFunction, assertList, assertObject, assertText } from '../assert-values.ts';
/**
 * Sequences of tokens that a repetition doesn't reach across: the first token of each → what follows it, in each that
 * begins with it. A sequence of a single token has nothing that follows, and its token is never penalised.
 */
export type DryBreakers = ReadonlyMap<number, readonly (readonly number[])[]>;

/** The part of a tokenizer that the search for breakers needs. */
export interface BreakerVocabulary {
  /** Highest id + 1. */
  readonly size: number;
  /** The text of a token, leading space included. */
  textOf(token: number): string;
  encode(text: string): readonly number[];
}

/** Longer breakers are cut, and so are the tokens that may follow the first one. */
const maxBreakerLength = 40;
const maxTailLength = 20;

/** Between the texts of two tokens; no text contains this code point, which is no character. */
const boundary = '\uffff';

/**
 * Prepares a vocabulary for the search of breakers, which are texts, among tokens. Tokens that contain a breaker are
 * breakers alone; a token that ends with the beginning of a breaker is the first of a sequence, followed by the tokens of the
 * rest of that breaker.
 *
 * @returns texts → the sequences of tokens that `applyDry` takes; an empty text breaks nothing
 *
 * @example
 * ```ts
 * const words = ['a', '\n', 'b:'];
 * const find = createBreakerFinder({ size: 3, textOf: (token) => words[token]!, encode: () => [] });
 * find(['\n', ':']).get(2); // [[]]
 * ```
 */
export function createBreakerFinder(
  vocabulary: BreakerVocabulary,
): (breakers: readonly string[]) => DryBreakers {
  assertObject('vocabulary', vocabulary);
  assertCount('vocabulary.size', vocabulary.size);
  assertFunction('vocabulary.textOf', vocabulary.textOf);
  assertFunction('vocabulary.encode', vocabulary.encode);
  const starts = new Int32Array(vocabulary.size);
  const texts: string[] = [];
  for (let token = 0, start = 0; token < vocabulary.size; token++) {
    const text = vocabulary.textOf(token);
    texts.push(text);
    starts[token] = start;
    start += text.length + 1;
  }
  const all = texts.join(boundary) + boundary;

  return (breakers) => {
    assertList('breakers', breakers, assertText);
    const sequences = new Map<number, (readonly number[])[]>();
    for (const given of breakers) {
      const breaker = Array.from(given).slice(0, maxBreakerLength).join('');
      if (breaker === '') continue;
      const whole = new Set(tokensWith(breaker));
      for (const token of whole) add(sequences, token, []);
      for (let cut = 1; cut < breaker.length; cut++) {
        const partly = tokensWith(breaker.slice(0, cut) + boundary).filter((token) => !whole.has(token));
        if (partly.length === 0) continue;
        const tail = vocabulary.encode(breaker.slice(cut)).slice(0, maxTailLength);
        for (const token of partly) add(sequences, token, tail);
      }
    }
    return sequences;
  };

  function tokensWith(text: string): number[] {
    const found: number[] = [];
    for (let at = all.indexOf(text); at >= 0;) {
      const token = lowerBound(starts, at + 1) - 1;
      found.push(token);
      const next = starts[token + 1];
      at = next === undefined ? -1 : all.indexOf(text, next);
    }
    return found;
  }
}

function add(sequences: Map<number, (readonly number[])[]>, token: number, tail: readonly number[]): void {
  const tails = getOrCreate(sequences, token, () => []);
  if (!tails.some((other) => other.join() === tail.join())) tails.push(tail);
}
