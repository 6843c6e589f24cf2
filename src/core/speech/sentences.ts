import { assertText } from '../assert-values.ts';

// Created on first use, because it loads ICU data for 8 ms.
let sentenceBreaks: Intl.Segmenter | undefined;

/** `"Where?" she asked.` is one sentence. */
const endsQuoted = /["”)]$/;
const startsLow = /^\p{Ll}/u;

/**
 * Splits a text into sentences by the rules of Unicode; a line break also ends a sentence. Only the spaces around
 * sentences are dropped.
 *
 * @see https://unicode.org/reports/tr29/#Sentence_Boundaries
 *
 * @example
 * ```ts
 * splitSentences('A red circle. "Where?" she asked.'); // ['A red circle.', '"Where?" she asked.']
 * ```
 */
export function splitSentences(text: string): string[] {
  assertText('text', text);
  sentenceBreaks ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences: string[] = [];
  for (const { segment } of sentenceBreaks.segment(text)) {
    const sentence = segment.trim();
    if (sentence === '') continue;
    const goesOn = startsLow.test(sentence) && endsQuoted.test(sentences.at(-1) ?? '');
    if (goesOn) sentences.push(`${sentences.pop()} ${sentence}`);
    else sentences.push(sentence);
  }
  return sentences;
}

/** Cut points of a text, best first: after sentences, clauses, phrases, words. */
const boundaries = [/[.!?…]["”)]*(?= )/gu, /[;:—]["”)]*(?= )|\)(?= )| (?=\()/gu, /,["”)]*(?= )/gu, / /gu];

/** A cut that would leave a piece shorter than this fraction of the limit is rejected in favour of a weaker boundary. */
const minShare = 1 / 3;

/**
 * Cuts phonemes into pieces that fit a model: after clauses if possible, else between words, and within a word only if
 * the word exceeds the limit.
 */
export function* splitPhonemes(phonemes: string, { limit }: { limit: number }): Generator<string> {
  const all = [...phonemes.trim()];
  for (let start = 0; start < all.length;) {
    const isLast = all.length - start <= limit;
    const end = isLast ? all.length : start + findCut(all.slice(start, start + limit + 1).join(''), limit);
    const piece = all.slice(start, end).join('').trim();
    if (piece !== '') yield piece;
    start = end;
  }
}

/** @param head the first `limit + 1` code points of the rest */
function findCut(head: string, limit: number): number {
  const words = boundaries.at(-1);
  for (const boundary of boundaries) {
    const last = [...head.matchAll(boundary)].at(-1);
    if (!last) continue;
    const end = [...head.slice(0, last.index), ...last[0].trimEnd()].length;
    if (end >= limit * minShare || (end > 0 && boundary === words)) return end;
  }
  return limit;
}
