import { roundHalfToEven } from '../../math/numeric.ts';

/** The speakers of one of several overlapping windows. */
export interface SpeakerWindow {
  /** First frame in the recording; windows are in order. */
  readonly startFrame: number;
  /** `[frames]`; bit `s` is set while the window's speaker `s` speaks. */
  readonly activity: Uint8Array;
  /** For each speaker of the window, the speaker of the recording; −1 if unknown. */
  readonly speakers: readonly number[];
}

/** A speaker's turn, from `startFrame` up to and excluding `endFrame`. */
export interface FrameTurn {
  readonly speaker: number;
  readonly startFrame: number;
  readonly endFrame: number;
}

export interface TurnOptions {
  /** Maximum speakers per frame; default: no limit. */
  readonly maxSimultaneous?: number | undefined;
  /** A speaker's pauses up to this length are filled unless a different speaker begins in them; default 0. */
  readonly pauseFrames?: number | undefined;
}

/**
 * Merges the activity of overlapping windows. Each frame has the mean number of speakers over its windows, and the
 * speakers that most windows hear.
 * @see https://github.com/pyannote/pyannote-audio, `SpeakerDiarization.reconstruct`
 */
export function toSpeakerTurns(
  windows: readonly SpeakerWindow[],
  { maxSimultaneous = Infinity, pauseFrames = 0 }: TurnOptions = {},
): FrameTurn[] {
  const end = windows.reduce((last, window) => Math.max(last, endOf(window)), 0);
  const open = new Map<number, number>();
  const turns: FrameTurn[] = [];
  let first = 0;
  for (let frame = 0; frame <= end; frame++) {
    const hasEnded = first < windows.length && endOf(windows[first]!) <= frame;
    while (first < windows.length && endOf(windows[first]!) <= frame) first++;
    const covering = [];
    for (let index = first; index < windows.length && windows[index]!.startFrame <= frame; index++)
      covering.push(windows[index]!);
    if (!hasEnded && !covering.some((window) => isChange(window, frame))) continue;
    const speaking = speakersAt(covering, frame, maxSimultaneous);
    for (const [speaker, startFrame] of open) {
      if (speaking.includes(speaker)) continue;
      turns.push({ speaker, startFrame, endFrame: frame });
      open.delete(speaker);
    }
    for (const speaker of speaking) if (!open.has(speaker)) open.set(speaker, frame);
  }
  turns.sort((a, b) => a.startFrame - b.startFrame || a.speaker - b.speaker);
  return fillPauses(turns, pauseFrames);
}

function endOf({ startFrame, activity }: SpeakerWindow): number {
  return startFrame + activity.length;
}

/** Whether a window begins in a frame, or its speakers change there. */
function isChange({ startFrame, activity }: SpeakerWindow, frame: number): boolean {
  const at = frame - startFrame;
  return at === 0 || activity[at] !== activity[at - 1];
}

/** @returns the speakers that most windows over the frame hear in it */
function speakersAt(covering: readonly SpeakerWindow[], frame: number, maxSimultaneous: number): number[] {
  const heard = new Map<number, number>();
  let total = 0;
  for (const { startFrame, activity, speakers } of covering) {
    const bits = activity[frame - startFrame]!;
    if (bits === 0) continue;
    const here = new Set<number>();
    for (const [local, speaker] of speakers.entries()) {
      if ((bits & (1 << local)) === 0) continue;
      total++;
      if (speaker >= 0) here.add(speaker);
    }
    for (const speaker of here) heard.set(speaker, (heard.get(speaker) ?? 0) + 1);
  }
  if (total === 0) return [];
  return [...heard]
    .toSorted(([a, often], [b, oftener]) => oftener - often || a - b)
    .slice(0, Math.min(roundHalfToEven(total / covering.length), maxSimultaneous))
    .map(([speaker]) => speaker);
}

function fillPauses(turns: readonly FrameTurn[], pauseFrames: number): FrameTurn[] {
  const filled: FrameTurn[] = [];
  for (const turn of turns) {
    const before = filled.at(-1);
    if (before?.speaker === turn.speaker && turn.startFrame - before.endFrame <= pauseFrames) {
      filled[filled.length - 1] = { ...before, endFrame: turn.endFrame };
    } else filled.push(turn);
  }
  return filled;
}
