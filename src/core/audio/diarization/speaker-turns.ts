import { roundHalfToEven } from '../../math/numeric.ts';

/** Who speaks in one of the windows that overlap each other. */
export interface SpeakerWindow {
  /** Frame of the recording at which it begins; windows come in order. */
  readonly startFrame: number;
  /** `[frames]`; bit `s` is set while the window's speaker `s` speaks. */
  readonly activity: Uint8Array;
  /** The speaker of the recording that each speaker of the window is; −1 where that is unknown. */
  readonly speakers: readonly number[];
}

/** One speaker speaks, from a frame of the recording to before another. */
export interface FrameTurn {
  readonly speaker: number;
  readonly startFrame: number;
  readonly endFrame: number;
}

/** How windows become turns. */
export interface TurnOptions {
  /** Most speakers of one frame; default: as many as the windows hear. */
  readonly mostAtOnce?: number | undefined;
  /** Pauses of a speaker up to this length, in which nobody else begins to speak, are filled; default 0. */
  readonly pauseFrames?: number | undefined;
}

/**
 * Puts together what overlapping windows say. So many speak in a frame as the windows hear in the mean, and those do that most
 * windows hear.
 * @see https://github.com/pyannote/pyannote-audio, `SpeakerDiarization.reconstruct`
 */
export function toSpeakerTurns(
  windows: readonly SpeakerWindow[],
  { mostAtOnce = Infinity, pauseFrames = 0 }: TurnOptions = {},
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
    const speaking = speakersAt(covering, frame, mostAtOnce);
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

/** Whether a window begins in a frame, or hears others than in the frame before. */
function isChange({ startFrame, activity }: SpeakerWindow, frame: number): boolean {
  const at = frame - startFrame;
  return at === 0 || activity[at] !== activity[at - 1];
}

/** @returns those whom most of the windows that cover a frame hear in it */
function speakersAt(covering: readonly SpeakerWindow[], frame: number, mostAtOnce: number): number[] {
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
    .slice(0, Math.min(roundHalfToEven(total / covering.length), mostAtOnce))
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
