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
