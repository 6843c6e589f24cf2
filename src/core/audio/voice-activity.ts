import { assertNames } from '../assert-names.ts';
import { assertSamples, assertSeconds, assertSampleRate } from './assert.ts';
import { createFramePowers } from './frame-powers.ts';

/** A stretch of audio, in seconds from its start. */
export interface VoiceRegion {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Thresholds of `createVoiceActivityDetector`. */
export interface VoiceActivityOptions {
  /** 1,000 to 768,000. */
  readonly sampleRateHz: number;
  /** Padding around speech, for the soft beginnings and endings of words; default 0.4. */
  readonly paddingSeconds?: number | undefined;
  /** Regions with shorter pauses between them, after padding, are merged; default 0.3. */
  readonly minPauseSeconds?: number | undefined;
}

/** Detects possible speech in a stream of samples. Regions are in order and never overlap. */
export interface VoiceActivityDetector {
  /**
   * @param samples the next samples of one channel, −1 to 1, any number; not kept
   * @returns the regions that have ended, about 4 s after their end
   * @throws TypeError unless `samples` is a `Float32Array`
   */
  push(samples: Float32Array): VoiceRegion[];
  /** Ends the stream. @returns the remaining regions. The next `push` begins a new stream. */
  flush(): VoiceRegion[];
}

const frameSeconds = 0.03;
/** The noise floor of a frame is the minimum power within this many frames of it: 3 s, in which speech has many gaps. */
const surroundingFrames = 100;
/** Power below −80 dB of full scale is always silence. */
const silencePower = 1e-8;
/** Noise above −40 dB isn't low: it is kept even if steady. */
const loudestFloorPower = 1e-4;
/** Speech rises at least 4 dB above the floor. */
const speechRatio = 10 ** 0.4;

/**
 * An energy gate with an adaptive noise floor: it passes everything that may be speech, and blocks digital silence and
 * low, steady noise and hum. A frame of 30 ms, high-passed at 300 Hz, counts if it is 4 dB louder than the quietest
 * frame within 3 s before and after it, or above −36 dB of full scale.
 *
 * @throws TypeError for options that aren't numbers
 * @throws RangeError for a sample rate that isn't an integer from 1,000 to 768,000 and for negative seconds
 * @see R. Martin, Noise Power Spectral Density Estimation Based on Optimal Smoothing and Minimum Statistics (2001)
 *
 * @example
 * ```ts
 * const detector = createVoiceActivityDetector({ sampleRateHz: 16_000 });
 * detector.push(new Float32Array(160_000)); // []
 * ```
 */
export function createVoiceActivityDetector(options: VoiceActivityOptions): VoiceActivityDetector {
  assertNames('createVoiceActivityDetector', options, ['sampleRateHz', 'paddingSeconds', 'minPauseSeconds']);
  const { sampleRateHz, paddingSeconds = 0.4, minPauseSeconds = 0.3 } = options;
  assertSampleRate('sampleRateHz', sampleRateHz);
  assertSeconds('paddingSeconds', paddingSeconds);
  assertSeconds('minPauseSeconds', minPauseSeconds);
  const frames = createFramePowers(sampleRateHz, frameSeconds);
  const { frameSamples } = frames;
  const powers = new Float64Array(2 * surroundingFrames + 1);

  let total = 0;
  let measuredFrames = 0;
  let judgedFrames = 0;
  let region: { startSeconds: number; endSeconds: number } | undefined;
  const restart = (): void => {
    total = measuredFrames = judgedFrames = 0;
    region = undefined;
  };

  /** Judges the frames with complete context; at the end, all remaining frames. */
  const judge = (until: number, regions: VoiceRegion[]): void => {
    for (; judgedFrames < until; judgedFrames++) {
      const start = (judgedFrames * frameSamples) / sampleRateHz;
      if (region !== undefined && start - region.endSeconds > minPauseSeconds + 2 * paddingSeconds) {
        regions.push(padded(region));
        region = undefined;
      }
      if (!isActive(judgedFrames)) continue;
      const end = Math.min((judgedFrames + 1) * frameSamples, total) / sampleRateHz;
      region ??= { startSeconds: start, endSeconds: end };
      region.endSeconds = end;
    }
  };
  const isActive = (frame: number): boolean => {
    const first = Math.max(0, frame - surroundingFrames);
    const end = Math.min(measuredFrames, frame + surroundingFrames + 1);
    let floor = loudestFloorPower;
    for (let other = first; other < end; other++) floor = Math.min(floor, powers[other % powers.length]!);
    return powers[frame % powers.length]! > speechRatio * Math.max(floor, silencePower);
  };
  const padded = ({ startSeconds, endSeconds }: VoiceRegion): VoiceRegion => ({
    startSeconds: Math.max(0, startSeconds - paddingSeconds),
    endSeconds: Math.min(total / sampleRateHz, endSeconds + paddingSeconds),
  });
  const endFrame = (power: number, regions: VoiceRegion[]): void => {
    total = frames.total;
    powers[measuredFrames++ % powers.length] = power;
    judge(measuredFrames - surroundingFrames, regions);
  };

  return {
    push(samples) {
      assertSamples('samples', samples);
      const regions: VoiceRegion[] = [];
      frames.push(samples, (power) => endFrame(power, regions));
      total = frames.total;
      return regions;
    },
    flush() {
      const regions: VoiceRegion[] = [];
      frames.flush((power) => endFrame(power, regions));
      judge(measuredFrames, regions);
      if (region !== undefined) regions.push(padded(region));
      restart();
      return regions;
    },
  };
}

/**
 * Detects possible speech in mono audio; see {@link createVoiceActivityDetector}.
 *
 * @param samples of one channel, −1 to 1
 * @returns regions in order, without overlaps
 * @throws TypeError unless `samples` is a `Float32Array` and the options are numbers
 * @throws RangeError for a sample rate that isn't an integer from 1,000 to 768,000 and for negative seconds
 *
 * @example
 * ```ts
 * const samples = new Float32Array(48_000);
 * for (let i = 0; i < 8000; i++) samples[16_000 + i] = Math.sin(i / 5) / 10; // half a second, after one of silence
 * findVoiceActivity(samples, { sampleRateHz: 16_000 }); // [{ startSeconds: 0.59, endSeconds: 1.93 }]
 * ```
 */
export function findVoiceActivity(samples: Float32Array, options: VoiceActivityOptions): VoiceRegion[] {
  const detector = createVoiceActivityDetector(options);
  return [...detector.push(samples), ...detector.flush()];
}
