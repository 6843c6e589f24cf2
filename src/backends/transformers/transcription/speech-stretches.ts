import { findVoiceActivity } from '../../../core/audio/voice-activity.ts';

/** Samples of one stretch of speech. */
export interface SpeechStretch {
  /** From the beginning of the recording. */
  readonly startSeconds: number;
  readonly samples: Float32Array;
}

export interface StretchOptions {
  readonly sampleRateHz: number;
  /** Longer speech is cut where it is quietest. */
  readonly longestSeconds: number;
}

/** Pauses at least this long end a stretch. */
const minPauseSeconds = 0.8;
const quietSeconds = 0.1;
/** Less is no word. */
const shortestSeconds = 0.1;

/**
 * Cuts a recording into stretches of speech; silence is left out. Holds no more than one stretch of the longest kind.
 *
 * @returns the stretches, then the length of the recording in seconds
 */
export async function* speechStretches(
  blocks: AsyncIterable<Float32Array>,
  { sampleRateHz, longestSeconds }: StretchOptions,
): AsyncGenerator<SpeechStretch, number> {
  const longest = Math.round(longestSeconds * sampleRateHz);
  let held = new Float32Array(0);
  let offset = 0;
  const cut = function* (isEnd: boolean): Generator<SpeechStretch> {
    const { stretches, consumed } = cutHeld(held, { sampleRateHz, isEnd });
    for (const [start, end] of stretches) {
      if (end - start < shortestSeconds * sampleRateHz) continue;
      yield { startSeconds: (offset + start) / sampleRateHz, samples: held.slice(start, end) };
    }
    offset += consumed;
    held = held.slice(consumed);
  };
  for await (const block of blocks) {
    for (let at = 0; at < block.length;) {
      const part = block.subarray(at, at + longest - held.length);
      const joined = new Float32Array(held.length + part.length);
      joined.set(held);
      joined.set(part, held.length);
      held = joined;
      at += part.length;
      if (held.length >= longest) yield* cut(false);
    }
  }
  const total = offset + held.length;
  yield* cut(true);
  return total / sampleRateHz;
}

function cutHeld(
  held: Float32Array,
  { sampleRateHz, isEnd }: { readonly sampleRateHz: number; readonly isEnd: boolean },
): { readonly stretches: readonly (readonly [number, number])[]; readonly consumed: number } {
  const regions = findVoiceActivity(held, { sampleRateHz, minPauseSeconds }).map(
    ({ startSeconds, endSeconds }) =>
      [Math.round(startSeconds * sampleRateHz), Math.round(endSeconds * sampleRateHz)] as const,
  );
  const last = regions.at(-1);
  const goesOn = !isEnd && last !== undefined && last[1] >= held.length - minPauseSeconds * sampleRateHz;
  if (!goesOn) return { stretches: regions, consumed: held.length };
  if (last[0] > 0) return { stretches: regions.slice(0, -1), consumed: last[0] };
  const quietest = findQuietest(held, Math.round(held.length / 2), Math.round(quietSeconds * sampleRateHz));
  return { stretches: [[0, quietest]], consumed: quietest };
}

/** @returns the middle of the quietest `size` samples after `from` */
function findQuietest(samples: Float32Array, from: number, size: number): number {
  let energy = 0;
  let least = Infinity;
  let best = samples.length;
  for (let at = from; at < samples.length; at++) {
    energy += samples[at]! ** 2;
    if (at - from < size) continue;
    energy -= samples[at - size]! ** 2;
    if (energy < least) [least, best] = [energy, at - (size >> 1)];
  }
  return best;
}
