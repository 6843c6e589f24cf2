import { sampleRateHz, type AudioWindow } from '../recognizer.ts';

/** The stretches of speech in a window, as samples from its beginning. */
export interface CutWindow {
  readonly stretches: readonly (readonly [start: number, end: number])[];
  /** Samples after which the next window begins. */
  readonly consumed: number;
  /** Whether speech goes on where the next window begins. */
  readonly isCut: boolean;
}

/** Pauses at least this long end a stretch. */
const pauseLength = 0.8 * sampleRateHz;
/** Kept around a stretch, beyond the padding of its regions, for soft beginnings and endings of words. */
const margin = 0.2 * sampleRateHz;
const quietLength = 0.1 * sampleRateHz;
/** Speech is cut at multiples of a recognizer's frame, so that the frames on both sides are the same. */
const frameLength = 0.08 * sampleRateHz;
/** Less is no word. */
const shortestLength = 0.1 * sampleRateHz;
/** Silence at the end of a window isn't skipped as a whole, where a word may begin. */
const keptLength = 0.5 * sampleRateHz;

/**
 * Cuts a window into stretches of speech; silence is left out. Speech that goes on after the window waits for the next
 * one; where it fills the window, it is cut where it is quietest.
 */
export function cutStretches({
  samples,
  speech,
  isLast,
}: Pick<AudioWindow, 'samples' | 'speech' | 'isLast'>): CutWindow {
  const { length } = samples;
  const regions = joinRegions(speech, length);
  const last = regions.at(-1);
  if (last === undefined)
    return { stretches: [], consumed: isLast ? length : Math.max(1, length - keptLength), isCut: false };
  const goesOn = !isLast && last[1] >= length - pauseLength;
  if (!goesOn) return { stretches: regions.filter(isLong), consumed: length, isCut: false };
  if (last[0] > 0) {
    return { stretches: regions.slice(0, -1).filter(isLong), consumed: last[0], isCut: false };
  }
  const quietest = frameLength * Math.floor(findQuietest(samples, Math.round(length / 2)) / frameLength);
  return { stretches: [[0, quietest]], consumed: quietest, isCut: true };
}

function joinRegions(speech: AudioWindow['speech'], length: number): (readonly [number, number])[] {
  const joined: [number, number][] = [];
  for (const { startSeconds, endSeconds } of speech) {
    const start = Math.max(0, Math.round(startSeconds * sampleRateHz - margin));
    const end = Math.min(length, Math.round(endSeconds * sampleRateHz + margin));
    const before = joined.at(-1);
    if (before && start - before[1] < pauseLength) before[1] = end;
    else joined.push([start, end]);
  }
  return joined;
}

function isLong([start, end]: readonly [number, number]): boolean {
  return end - start >= shortestLength;
}

/** @returns the middle of the quietest stretch after `from` */
function findQuietest(samples: Float32Array, from: number): number {
  let energy = 0;
  let least = Infinity;
  let best = samples.length;
  for (let at = from; at < samples.length; at++) {
    energy += samples[at]! ** 2;
    if (at - from < quietLength) continue;
    energy -= samples[at - quietLength]! ** 2;
    if (energy < least) [least, best] = [energy, at - (quietLength >> 1)];
  }
  return best;
}
