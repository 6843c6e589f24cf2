import { sampleRateHz, type KeptSamples, type RecognizedStretch } from '../../recognizer.ts';
import type { NemoModel } from './nemo-folder.ts';

export interface HeardToken {
  readonly id: number;
  readonly startFrame: number;
  readonly endFrame: number;
}

interface SpelledWord<Token = unknown> {
  readonly text: string;
  readonly tokens: readonly Token[];
}

export function toStretch(
  heard: readonly HeardToken[],
  { pieces, subsampling }: Pick<NemoModel, 'pieces' | 'subsampling'>,
  [start, end]: KeptSamples = [0, Infinity],
): Omit<RecognizedStretch, 'averageLogprob'> {
  const samplesPerFrame = (subsampling * sampleRateHz) / 100;
  const words = splitWords(heard, pieces).filter(({ tokens: [first] }) => {
    const at = first!.startFrame * samplesPerFrame;
    return at >= start && at < end;
  });
  const toSeconds = (frame: number): number => (frame * samplesPerFrame - start) / sampleRateHz;
  return {
    text: joinWords(words),
    tokens: words.flatMap(({ tokens }) => tokens.map(({ id }) => id)),
    words: words
      .filter(({ text }) => text !== '')
      .map(({ text, tokens }) => ({
        word: text,
        startSeconds: toSeconds(tokens[0]!.startFrame),
        endSeconds: toSeconds(tokens.at(-1)!.endFrame),
      })),
  };
}

export function toText(ids: readonly number[], pieces: readonly string[]): string {
  const spelling = ids.map((id) => ({ id }));
  return joinWords(splitWords(spelling, pieces));
}

function joinWords(words: readonly Pick<SpelledWord, 'text'>[]): string {
  return words
    .map(({ text }) => text)
    .join(' ')
    .trim();
}

/** As in the reference; more spaces are dropped. */
const wordStart = /^\s[\p{L}\p{N}_]/u;

function splitWords<Token extends Pick<HeardToken, 'id'>>(
  spelling: readonly Token[],
  pieces: readonly string[],
): SpelledWord<Token>[] {
  const text = spelling.map(({ id }) => pieces[id]!).join('');
  const words: { text: string; tokens: Token[] }[] = [];
  let at = 0;
  for (const token of spelling) {
    const piece = pieces[token.id]!;
    if (words.length === 0 || wordStart.test(text.slice(at, at + 3))) words.push({ text: '', tokens: [] });
    const word = words.at(-1)!;
    word.text += piece.replaceAll(/\s/g, '');
    word.tokens.push(token);
    at += piece.length;
  }
  return words;
}
