import { assertCount, assertList, assertObject, assertText } from '../../assert-values.ts';
import { getOrCreate } from '../../get-or-create.ts';
import { assertSeconds } from '../assert.ts';
import type { VoiceRegion } from '../voice-activity.ts';

/** A speaker's turn; the speakers of a recording are counted from 0. */
export interface SpeakerTurn extends VoiceRegion {
  readonly speaker: number;
}

/** A text with its times, and the times of its words if known. */
export interface TimedText extends VoiceRegion {
  readonly text: string;
  readonly words?: readonly (VoiceRegion & { readonly word: string })[] | undefined;
}

/** A piece of a transcript by one speaker. */
export interface SpeakerSegment extends VoiceRegion {
  /** `A`, `B`, … in order of first appearance; `AA` after `Z`. */
  readonly speaker: string;
  /** Trimmed. */
  readonly text: string;
}

/**
 * Assigns a transcript to its speakers. A text with words is cut at speaker changes; a text without words goes to the
 * speaker with the longest share of it. Text outside all turns goes to the nearest turn.
 *
 * @param segments in order
 * @param turns in order, without overlaps
 *
 * @example
 * ```ts
 * const turns = [
 *   { speaker: 0, startSeconds: 0, endSeconds: 2 },
 *   { speaker: 1, startSeconds: 2, endSeconds: 4 },
 * ];
 * assignSpeakers([{ text: 'Hello!', startSeconds: 2.1, endSeconds: 3 }], turns)[0].speaker; // 'A'
 * ```
 */
export function assignSpeakers(
  segments: readonly TimedText[],
  turns: readonly SpeakerTurn[],
): SpeakerSegment[] {
  assertList('segments', segments, assertTimedText);
  assertList('turns', turns, (label, turn) => {
    assertTimes(label, turn);
    assertCount(`${label}.speaker`, (turn as SpeakerTurn).speaker);
  });
  const labels = new Map<number, string>();
  const labelOf = (speaker: number): string => getOrCreate(labels, speaker, () => toLabel(labels.size));
  return segments
    .flatMap((segment) => cutAtTurns(segment, turns))
    .map(({ speaker, startSeconds, endSeconds, text }) => ({
      speaker: labelOf(speaker),
      startSeconds,
      endSeconds,
      text: text.trim(),
    }))
    .filter(({ text }) => text !== '');
}

function assertTimes(label: string, timed: unknown): void {
  assertObject(label, timed);
  const { startSeconds, endSeconds } = timed as VoiceRegion;
  assertSeconds(`${label}.startSeconds`, startSeconds);
  assertSeconds(`${label}.endSeconds`, endSeconds);
}

function assertTimedText(label: string, segment: unknown): void {
  assertTimes(label, segment);
  const { text, words = [] } = segment as TimedText;
  assertText(`${label}.text`, text);
  assertList(`${label}.words`, words, (place, word) => {
    assertTimes(place, word);
    assertText(`${place}.word`, (word as { readonly word: unknown }).word);
  });
}

type Piece = TimedText & { readonly speaker: number };

function cutAtTurns(segment: TimedText, turns: readonly SpeakerTurn[]): Piece[] {
  const { text, startSeconds, endSeconds, words = [] } = segment;
  const starts = findWords(text, words);
  const speakers = words.map((word) => speakerOf(word, turns));
  if (words.length === 0 || starts === undefined)
    return [{ text, startSeconds, endSeconds, speaker: speakerOf(segment, turns) }];
  const pieces: Piece[] = [];
  for (let first = 0, next = 1; first < words.length; first = next++) {
    while (next < words.length && speakers[next] === speakers[first]) next++;
    pieces.push({
      text: text.slice(first === 0 ? 0 : starts[first], next === words.length ? undefined : starts[next]),
      startSeconds: words[first]!.startSeconds,
      endSeconds: words[next - 1]!.endSeconds,
      speaker: speakers[first]!,
    });
  }
  return pieces;
}

/** @returns where each word begins in the text; `undefined` if any word is missing from it */
function findWords(text: string, words: readonly { readonly word: string }[]): number[] | undefined {
  const starts: number[] = [];
  let from = 0;
  for (const { word } of words) {
    const start = text.indexOf(word, from);
    if (start < 0) return undefined;
    starts.push(start);
    from = start + word.length;
  }
  return starts;
}

/** The speaker with the longest share of a time range, or the nearest speaker. */
function speakerOf({ startSeconds, endSeconds }: VoiceRegion, turns: readonly SpeakerTurn[]): number {
  const first = firstAfter(turns, startSeconds);
  const spoken = new Map<number, number>();
  for (let index = first; index < turns.length && turns[index]!.startSeconds < endSeconds; index++) {
    const turn = turns[index]!;
    const seconds = Math.min(turn.endSeconds, endSeconds) - Math.max(turn.startSeconds, startSeconds);
    spoken.set(turn.speaker, (spoken.get(turn.speaker) ?? 0) + seconds);
  }
  if (spoken.size > 0) return [...spoken].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
  const [before, after] = [turns[first - 1], turns[first]];
  if (before === undefined || after === undefined) return (before ?? after)?.speaker ?? 0;
  return after.startSeconds - endSeconds < startSeconds - before.endSeconds ? after.speaker : before.speaker;
}

/** The first turn that ends after `seconds`. */
function firstAfter(turns: readonly SpeakerTurn[], seconds: number): number {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (turns[middle]!.endSeconds > seconds) high = middle;
    else low = middle + 1;
  }
  return low;
}

function toLabel(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : toLabel(Math.floor(index / 26) - 1) + letter;
}
