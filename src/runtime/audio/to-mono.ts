import { createBlockCutter } from '../../core/audio/block-cutter.ts';
import { ContainerError } from '../../core/audio/containers/reading.ts';
import { downmix } from '../../core/audio/downmix.ts';
import { createResampler } from '../../core/audio/resample.ts';
import { sampleRatesHz } from '../../core/audio/assert.ts';
import { fieldError, type InferenceError } from '../../errors.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';
import { blockLength, type PcmBlock, type TrackOptions } from './pcm.ts';

export interface MonoOptions extends Pick<TrackOptions, 'maxSeconds' | 'signal'> {
  readonly sampleRateHz: number;
}

const stepLength = 2 ** 13;
/** Larger than any real sample, and small enough that sums of squares stay finite. */
const maxMagnitude = 2 ** 24;

/**
 * Mixes channels to their mean and resamples; from the point at which two channels cancel each other, it uses the first
 * one. The rate may change between blocks.
 * @returns blocks of one second; the last may be shorter
 */
export async function* toMono(
  blocks: AsyncIterable<PcmBlock>,
  { sampleRateHz, maxSeconds, signal }: MonoOptions,
): AsyncGenerator<Float32Array> {
  let resampler = createResampler({ fromHz: sampleRateHz, toHz: sampleRateHz });
  let fromHz = Number.NaN;
  /** Seconds up to the last change of the rate, and samples since. */
  let secondsBefore = 0;
  let samples = 0;
  let isCancelled = false;
  const cutter = createBlockCutter(sampleRateHz);
  for await (const block of blocks) {
    if (block.sampleRateHz !== fromHz) {
      yield* cutter.push(resampler.flush());
      if (samples > 0) secondsBefore += samples / fromHz;
      samples = 0;
      fromHz = block.sampleRateHz;
      if (!(fromHz >= sampleRatesHz.min && fromHz <= sampleRatesHz.max))
        throw new ContainerError(`audio of ${fromHz} samples per second`);
      resampler = createResampler({ fromHz, toHz: sampleRateHz });
    }
    const length = blockLength(block);
    for (let start = 0; start < length; start += stepLength) {
      const channels = block.channels.map((one) => one.subarray(start, start + stepLength));
      isCancelled ||= cancels(channels);
      const mono = mix(isCancelled ? channels.slice(0, 1) : channels);
      samples += mono.length;
      if (secondsBefore + samples / fromHz > maxSeconds) throw tooLong(maxSeconds);
      for (const full of cutter.push(resampler.push(mono))) {
        yield full;
        await yieldToEventLoop(signal);
      }
    }
  }
  yield* cutter.push(resampler.flush());
  const rest = cutter.rest();
  if (rest.length > 0) yield rest;
  if (secondsBefore === 0 && samples === 0) throw new ContainerError('a file without any audio in it');
}

export function tooLong(maxSeconds: number): InferenceError {
  return fieldError('file', `expected at most ${maxSeconds} seconds of audio`);
}

/** Impossible values, such as damaged floats, become silence. */
function mix(channels: readonly Float32Array[]): Float32Array {
  const mono = downmix(channels);
  for (let i = 0; i < mono.length; i++) if (!(Math.abs(mono[i]!) <= maxMagnitude)) mono[i] = 0;
  return mono;
}

/** −40 dB of full scale: below it, noise dominates. */
const minPower = 1e-4;
/** The mean is 20 dB below its channels. */
const cancelledShare = 0.01;

/** Whether two channels are inverted copies of each other, as with a cable of reversed polarity. */
function cancels([left, right, ...others]: readonly Float32Array[]): boolean {
  if (left === undefined || right === undefined || others.length > 0) return false;
  let [sum, power] = [0, 0];
  for (let i = 0; i < left.length; i++) {
    sum += ((left[i]! + right[i]!) / 2) ** 2;
    power += Math.min(left[i]! ** 2, right[i]! ** 2);
  }
  return power > minPower * left.length && sum < cancelledShare * power;
}
