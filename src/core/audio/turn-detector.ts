import { assertNames } from '../assert-names.ts';
import { assertSamples, assertSeconds, assertSampleRate } from './assert.ts';
import { createFramePowers } from './frame-powers.ts';

/** Thresholds of `createTurnDetector`. */
export interface TurnDetectorOptions {
  /** 1,000 to 768,000. */
  readonly sampleRateHz: number;
  /** 0 to 1: speech is 2 to 14 dB louder than the noise; default 0.5, which is 8 dB. */
  readonly threshold?: number | undefined;
  /** How long a silence ends a turn; default 0.5. */
  readonly silenceSeconds?: number | undefined;
}

/** A point at which speech begins, or has paused for long enough. */
export interface TurnChange {
  readonly type: 'start' | 'end';
  /**
   * Counts from the first sample of the stream. A start is the first sample of speech, an end the first sample of the silence.
   */
  readonly sample: number;
  /** End of the last sound; undefined for a start. */
  readonly soundEnd?: number | undefined;
}

/** Detects a speaker's turns in a live stream. */
export interface TurnDetector {
  /**
   * @param samples the next samples of one channel, −1 to 1, any number; not kept
   * @returns alternating starts and ends. A start is reported at most 150 ms late, an end immediately
   */
  push(samples: Float32Array): TurnChange[];
  /** End of the last sound of a turn that has paused for `pauseSeconds`, in samples of the stream; undefined during speech. */
  pausedAt(): number | undefined;
  /** Drops a turn that has begun, without an end; further speech starts a new turn. */
  interrupt(): void;
}

/** The maximum time between the start of speech and its detection. */
export const detectionSeconds = 0.15;

const frameSeconds = 0.03;
/** Silence after which a turn has paused: longer than the closure of a stop consonant. */
const pauseSeconds = 0.18;
/** Three of five frames, so that a click doesn't begin a turn. */
const onsetFrames = Math.round(detectionSeconds / frameSeconds);
const onsetActive = 3;
/** The noise floor is the minimum power of the last 3 s, in which speech has many gaps. */
const floorFrames = 100;
/** Minimum of the noise floor, −70 dB of full scale: an idle microphone produces digital silence. */
const quietestFloor = 1e-7;
/** A muted or gated microphone sends zeros, which are no evidence of the room's noise. */
const digitalSilence = 1e-13;
/** Noise floor around zeros if no noise is known: −60 dB of full scale. */
const assumedFloor = 1e-6;
/** Frames without a turn and without zeros that make a noise known. */
const knownFrames = 25;
const minDb = 2;
const rangeDb = 12;
/** A turn continues at 3 dB less than it needs to begin. */
const releaseRatio = 10 ** 0.3;

/**
 * Detects turns by the loudness over an adaptive noise floor, without lookahead: frames of 30 ms, high-passed at 300
 * Hz. Steady noise of any loudness is silence after 3 s.
 * @see R. Martin, Noise Power Spectral Density Estimation Based on Optimal Smoothing and Minimum Statistics (2001)
 */
export function createTurnDetector(options: TurnDetectorOptions): TurnDetector {
  assertNames('createTurnDetector', options, ['sampleRateHz', 'threshold', 'silenceSeconds']);
  const { sampleRateHz, threshold = 0.5, silenceSeconds = 0.5 } = options;
  assertSampleRate('sampleRateHz', sampleRateHz);
  assertSeconds('threshold', threshold);
  if (threshold > 1) throw new RangeError(`threshold: expected a number from 0 to 1, got ${threshold}`);
  assertSeconds('silenceSeconds', silenceSeconds);
  const frames = createFramePowers(sampleRateHz, frameSeconds);
  const pauseFrames = Math.round(pauseSeconds / frameSeconds);
  const silenceFrames = Math.max(1, Math.round(silenceSeconds / frameSeconds));
  const startRatio = 10 ** ((minDb + rangeDb * threshold) / 10);
  const powers = new Float64Array(floorFrames);
  let measured = 0;
  /** Number of frames with noise, from which the floor is computed. */
  let noisy = 0;
  let sinceZeros = Infinity;
  /** Noise floor from frames without zeros. */
  let knownFloor: number | undefined;
  /** The latest frames that are louder than the noise. */
  let active: number[] = [];
  let isTurn = false;
  const soundEnd = (): number => (active.at(-1)! + 1) * frames.frameSamples;

  const floorOf = (): number => {
    let floor = Infinity;
    for (let index = 0; index < Math.min(noisy, floorFrames); index++)
      floor = Math.min(floor, powers[index]!);
    if (!isTurn && noisy >= knownFrames && sinceZeros >= knownFrames) knownFloor = floor;
    if (sinceZeros < floorFrames) floor = Math.min(floor, knownFloor ?? assumedFloor);
    return Math.max(floor, quietestFloor);
  };
  const judge = (power: number): TurnChange | undefined => {
    const frame = measured++;
    sinceZeros = power > digitalSilence ? sinceZeros + 1 : 0;
    if (sinceZeros > 0) powers[noisy++ % floorFrames] = power;
    const ratio = power / floorOf();
    if (ratio > (isTurn ? startRatio / releaseRatio : startRatio)) active.push(frame);
    if (isTurn) {
      active = active.slice(-1);
      if (frame - active[0]! < silenceFrames) return undefined;
      const change = { type: 'end', sample: measured * frames.frameSamples, soundEnd: soundEnd() } as const;
      isTurn = false;
      active = [];
      return change;
    }
    active = active.filter((one) => frame - one < onsetFrames);
    if (active.length < onsetActive) return undefined;
    isTurn = true;
    return { type: 'start', sample: active[0]! * frames.frameSamples };
  };

  return {
    push(samples) {
      assertSamples('samples', samples);
      const changes: TurnChange[] = [];
      frames.push(samples, (power) => {
        const change = judge(power);
        if (change) changes.push(change);
      });
      return changes;
    },
    pausedAt() {
      return isTurn && measured - 1 - active.at(-1)! >= pauseFrames ? soundEnd() : undefined;
    },
    interrupt() {
      isTurn = false;
      active = [];
    },
  };
}
