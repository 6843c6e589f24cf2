import { yieldIfDue } from '../../../concurrency/in-slices.ts';
import type { MarkedText } from '../../../core/speech/markup/read-markup.ts';
import { symbolOwners } from '../../../core/speech/timing/symbol-owners.ts';
import { splitTextWords, type TextWord } from '../../../core/speech/timing/text-words.ts';
import { assertWanted } from '../../../errors.ts';
import type { SpokenWord } from '../events.ts';
import type { SpeakOptions, Speaker } from '../synthesizer.ts';
import { prepare, pronounce, toPieces, type Piece } from './to-pieces.ts';

export interface TimedPiece extends Piece {
  /** Words that end in the piece; call it in order of pieces. @param bounds in samples of the whole recording */
  wordsOf?(bounds: Float64Array): SpokenWord[];
}

interface TimingOptions extends Pick<SpeakOptions, 'signal'> {
  readonly speaker: Speaker;
  readonly sampleRateHz: number;
}

export async function* timedPieces(
  { spans, shown }: MarkedText,
  { speaker, sampleRateHz, signal }: TimingOptions,
): AsyncGenerator<TimedPiece, undefined> {
  const pieces: Piece[] = [];
  for await (const piece of toPieces(spans, speaker)) pieces.push(piece);
  const words = splitTextWords(shown);
  const symbols = pieces.flatMap((piece) => [...piece.symbols, ' ']);
  /** The word of each symbol; −1 for symbols between words. */
  const owners = symbolOwners(symbols, await readAlone(words, speaker, signal));

  let begun: { readonly word: number; readonly start: number } | undefined;
  const wordsBetween = (from: number, to: number, bounds: Float64Array): SpokenWord[] => {
    const spoken: SpokenWord[] = [];
    for (let symbol = from; symbol < to; symbol++) {
      const word = owners[symbol]!;
      if (word < 0) continue;
      if (begun?.word !== word) begun = { word, start: bounds[symbol - from]! };
      // A word that continues in the next piece is reported with that piece.
      if (owners.subarray(symbol + 1).find((owner) => owner >= 0) === word) continue;
      const { word: written, offset } = words[word]!;
      const [startSeconds, endSeconds] = [begun.start, bounds[symbol - from + 1]!].map(
        (sample) => sample / sampleRateHz,
      ) as [number, number];
      spoken.push({ word: written, offset, startSeconds, endSeconds });
    }
    return spoken;
  };

  let next = 0;
  for (const piece of pieces) {
    const from = next;
    const to = from + Array.from(piece.symbols).length;
    next = to + 1;
    yield { ...piece, wordsOf: (bounds) => wordsBetween(from, to, bounds) };
  }
  return undefined;
}

/** Pronounces every word separately, in addition to its sentence. */
async function readAlone(
  words: readonly TextWord[],
  speaker: Speaker,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const readings = new Map<string, string>();
  for (const { marked } of words) {
    if (readings.has(marked)) continue;
    const since = performance.now();
    readings.set(marked, await pronounce(await prepare(marked, speaker), speaker));
    await yieldIfDue(since);
    assertWanted(signal);
  }
  return words.map(({ marked }) => readings.get(marked)!);
}
