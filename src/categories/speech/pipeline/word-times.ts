import { letOthersRun } from '../../../concurrency/in-slices.ts';
import { symbolOwners } from '../../../core/speech/timing/symbol-owners.ts';
import { splitTextWords, type TextWord } from '../../../core/speech/timing/text-words.ts';
import { assertWanted } from '../../../errors.ts';
import type { SpokenWord } from '../events.ts';
import type { Speaker } from '../synthesizer.ts';
import { prepare, pronounce, type Piece } from './to-pieces.ts';

/** A piece of a text with the word of each of its code points. */
export interface OwnedPiece extends Piece {
  /** Number of the word; −1 for what belongs to none. */
  readonly owners: Int32Array;
}

export interface WordedText {
  readonly words: readonly TextWord[];
  readonly pieces: readonly OwnedPiece[];
}

/** Finds the word of the text that each symbol of its pieces speaks. Reads every word alone, so the text is read twice. */
export async function ownPieces(
  text: string,
  pieces: readonly Piece[],
  { speaker, signal }: { speaker: Speaker; signal?: AbortSignal | undefined },
): Promise<WordedText> {
  const words = splitTextWords(text);
  const readings = new Map<string, string>();
  for (const { marked } of words) {
    if (readings.has(marked)) continue;
    const since = performance.now();
    readings.set(marked, await pronounce(prepare(marked, speaker), speaker));
    await letOthersRun(since);
    assertWanted(signal);
  }
  const symbols = pieces.flatMap((piece) => [...piece.symbols, ' ']);
  const spoken = words.map(({ marked }) => readings.get(marked)!);
  const owners = symbolOwners(symbols, spoken);
  let start = 0;
  return {
    words,
    pieces: pieces.map((piece) => {
      const { length } = Array.from(piece.symbols);
      const own = owners.subarray(start, start + length);
      start += length + 1;
      return { ...piece, owners: own };
    }),
  };
}

/** Utterance of a piece within a recording. */
export interface PlacedPiece extends Pick<OwnedPiece, 'owners'> {
  /** Sample of the recording at which each symbol begins, and that at which the last one ends. */
  readonly bounds: Float64Array;
}

/** Sets the words of a text on the clock, piece by piece. */
export class WordClock {
  readonly #words: readonly TextWord[];
  readonly #sampleRateHz: number;
  #first: { readonly word: number; readonly start: number } | undefined;

  constructor({ words }: Pick<WordedText, 'words'>, sampleRateHz: number) {
    this.#words = words;
    this.#sampleRateHz = sampleRateHz;
  }

  /** @param nextWord that of the first symbol after the piece: a word that goes on there is told of with that piece */
  read({ owners, bounds }: PlacedPiece, nextWord: number | undefined): SpokenWord[] {
    const spoken: SpokenWord[] = [];
    for (const [symbol, word] of owners.entries()) {
      if (word < 0) continue;
      if (this.#first?.word !== word) this.#first = { word, start: bounds[symbol]! };
      const next = owners.subarray(symbol + 1).find((one) => one >= 0) ?? nextWord;
      if (next === word) continue;
      const { word: written, offset } = this.#words[word]!;
      const [startSeconds, endSeconds] = [this.#first.start, bounds[symbol + 1]!].map(
        (sample) => sample / this.#sampleRateHz,
      );
      spoken.push({ word: written, offset, startSeconds: startSeconds!, endSeconds: endSeconds! });
    }
    return spoken;
  }
}
