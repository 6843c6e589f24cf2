import { createFramePowers } from './frame-powers.ts';

/** Length of half a syllable. */
const frameSeconds = 0.09;
/** Fewer frames are too few to tell. */
const leastFrames = 12;
/** Speech as loud as white noise rises 4 dB above it; noise of any color varies by 1.6 dB. */
const mostRatio = 10 ** 0.2;

/** Whether audio is as loud all the time as no speech is, however loud it is itself: hiss, hum, a fan. */
export function isSteadyNoise(samples: Float32Array, sampleRateHz: number): boolean {
  const powers: number[] = [];
  createFramePowers({ sampleRateHz, frameSeconds }).push(samples, (power) => powers.push(power));
  return powers.length >= leastFrames && Math.max(...powers) <= mostRatio * Math.min(...powers);
}
