import { assertCount, assertObject, assertTokens } from '../../assert-values.ts';
import type { TimestampVocabulary } from './timestamps.ts';

/** A segment of a window; positions of 20 ms from the window's start. */
export interface WindowSegment {
  readonly start: number;
  readonly end: number;
  /** Timestamps included. */
  readonly tokens: readonly number[];
}

/** The segments of one window. */
export interface WindowSplit {
  readonly segments: readonly WindowSegment[];
  /** How many positions later the next window begins; always at least 1. */
  readonly consumed: number;
  /** Whether the text ends with a complete segment, followed by silence. */
  readonly isFinished: boolean;
}

export interface WindowSplitOptions extends Pick<TimestampVocabulary, 'timestampBegin'> {
  /** Positions of the window that are audio, not padding. */
  readonly positions: number;
}

/**
 * Splits a window's decoded tokens into segments. A segment that the window's end cuts off is dropped: the next window
 * begins with it.
 *
 * @param tokens without the prefix and `<|endoftext|>`
 * @see https://github.com/openai/whisper `transcribe.py`
 *
 * @example
 * ```ts
 * // <|0.00|> Hi.<|1.00|><|1.00|> And
 * splitWindow([100, 7, 150, 150, 8], { timestampBegin: 100, positions: 500 });
 * // { segments: [{ start: 0, end: 50, tokens: [100, 7, 150] }], consumed: 50, isFinished: false }
 * ```
 */
export function splitWindow(tokens: readonly number[], options: WindowSplitOptions): WindowSplit {
  assertTokens('tokens', tokens);
  assertObject('options', options);
  const { timestampBegin, positions } = options;
  assertCount('timestampBegin', timestampBegin);
  assertCount('positions', positions, { min: 1 });
  const isTimestamp = (token: number | undefined) => token !== undefined && token >= timestampBegin;
  const positionOf = (token: number) => token - timestampBegin;
  const cuts: number[] = [];
  for (let index = 1; index < tokens.length; index++) {
    if (isTimestamp(tokens[index]) && isTimestamp(tokens[index - 1])) cuts.push(index);
  }
  const isFinished = isTimestamp(tokens.at(-1)) && tokens.length > 1 && !isTimestamp(tokens.at(-2));
  if (cuts.length === 0) {
    const last = tokens.findLast(isTimestamp);
    const end = last === undefined || last === timestampBegin ? positions : positionOf(last);
    // The segment begins with the window even if the model predicts a later start, as in the reference.
    const start =
      tokens.length > 1 && isTimestamp(tokens[0]) && tokens[0] !== last ? positionOf(tokens[0]!) : 0;
    return { segments: tokens.length === 0 ? [] : [{ start, end, tokens }], consumed: positions, isFinished };
  }
  if (isFinished) cuts.push(tokens.length);
  const segments = cuts.map((cut, index): WindowSegment => {
    const piece = tokens.slice(index === 0 ? 0 : cuts[index - 1], cut);
    return { start: positionOf(piece[0]!), end: positionOf(piece.at(-1)!), tokens: piece };
  });
  const reached = segments.at(-1)!.end;
  const consumed = isFinished || reached < 1 ? positions : Math.min(reached, positions);
  return { segments, consumed, isFinished };
}

/** Removes a decoder's loops: of consecutive segments with the same text the first remains. */
export function cutRepetitions<S extends { readonly text: string }>(segments: readonly S[]): S[] {
  return segments.filter(
    ({ text }, index) => index === 0 || comparable(text) !== comparable(segments[index - 1]!.text),
  );
}

function comparable(text: string): string {
  return text.trim().toLowerCase();
}
