import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createVoiceActivityDetector,
  findVoiceActivity,
  type VoiceRegion,
} from '../../../src/core/audio/voice-activity.ts';
import { clips } from './golden/clips.ts';
import { runs } from '../../thorough.ts';

const sampleRateHz = 16_000;
const vowels = clips[7]!; // 2 s, RMS about −15 dB
const options = { sampleRateHz };

describe('findVoiceActivity', () => {
  it.each<[string, (index: number) => number]>([
    ['digital silence', () => 0],
    ['a constant', () => 0.3],
    ['noise of a converter', noise(2e-5)],
    ['low white noise', noise(0.01)],
    ['low hum of 50 Hz and its harmonics', hum(50, 0.01)],
    ['low hum of 60 Hz and its harmonics', hum(60, 0.01)],
    ['loud hum of 50 Hz alone', (index) => 0.1 * Math.sin((2 * Math.PI * 50 * index) / sampleRateHz)],
    ['low rumble', rumble(0.002)],
    ['hum and noise', sum(hum(50, 0.005), noise(0.003))],
  ])('finds nothing in %s', (_name, formula) => {
    expect(findVoiceActivity(audio(30, formula), options)).toEqual([]);
  });

  it.each([
    ['alone', 1, () => 0],
    ['alone, at −55 dB', 0.01, () => 0],
    ['in noise as loud, at −41 dB', 0.05, noise(0.015)],
    ['in low noise, at −55 dB', 0.01, noise(0.002)],
    ['in low hum, at −55 dB', 0.01, hum(50, 0.01)],
    ['over a constant', 0.1, () => 0.2],
  ] as const)('finds speech %s', (_name, level, background) => {
    const samples = audio(20, background);
    vowels.forEach((value, index) => (samples[8 * sampleRateHz + index]! += level * value));
    const regions = findVoiceActivity(samples, options);
    expect(regions.length).toBe(1);
    expect(regions[0]!.startSeconds).toBeLessThan(8);
    expect(regions[0]!.startSeconds).toBeGreaterThan(7.5);
    expect(regions[0]!.endSeconds).toBeGreaterThan(9.9);
    expect(regions[0]!.endSeconds).toBeLessThan(10.6);
  });

  it.each([0.02, 0.5, 1.8])('finds speech that is all there is, %d s of it', (seconds) => {
    const samples = vowels.subarray(2000, 2000 + seconds * sampleRateHz);
    expect(findVoiceActivity(samples, options)).toEqual([{ startSeconds: 0, endSeconds: seconds }]);
  });

  it('keeps loud noise, however steady', () => {
    expect(findVoiceActivity(audio(10, noise(0.1)), options)).toEqual([{ startSeconds: 0, endSeconds: 10 }]);
  });

  it('parts regions at long pauses alone', () => {
    const samples = new Float32Array(10 * sampleRateHz);
    for (const start of [1, 3.5, 7]) samples.set(vowels, start * sampleRateHz);
    const starts = (pause: number) =>
      findVoiceActivity(samples, { ...options, paddingSeconds: 0.1, minPauseSeconds: pause }).map(
        ({ startSeconds }) => Math.round(startSeconds),
      );
    expect(starts(0.1)).toEqual([1, 3, 7]);
    expect(starts(1)).toEqual([1, 7]);
    expect(starts(2)).toEqual([1]);
  });

  it('survives numbers that are none', () => {
    const samples = new Float32Array(10 * sampleRateHz);
    samples.set([NaN, Infinity, -Infinity, 1e38], 100);
    samples.set(vowels, 5 * sampleRateHz);
    const regions = findVoiceActivity(samples, options);
    expect(covers(regions, 5.1, 6.9)).toBe(true);
  });

  it.each([1000, 8000, 44_100, 192_000])('works at %d Hz', (rateHz) => {
    const samples = Float32Array.from({ length: 10 * rateHz }, (_, index) =>
      index < 4 * rateHz || index > 5 * rateHz ? 0 : 0.01 * Math.sin((2 * Math.PI * 310 * index) / rateHz),
    );
    const regions = findVoiceActivity(samples, { sampleRateHz: rateHz });
    expect(regions.length).toBe(1);
    expect(covers(regions, 4, 5)).toBe(true);
  });
});

describe('createVoiceActivityDetector', () => {
  it('finds the same in pieces as in one, twice, and in order', () => {
    const bursts = fc.array(fc.record({ at: fc.nat({ max: 18 }), level: fc.constantFrom(0.003, 0.1, 1) }), {
      maxLength: 4,
    });
    const pieces = fc.array(fc.nat({ max: 60_000 }), { maxLength: 8 });
    fc.assert(
      fc.property(bursts, pieces, (spoken, lengths) => {
        const samples = audio(20.01, noise(0.001));
        for (const { at, level } of spoken) {
          vowels.forEach((value, index) => (samples[at * sampleRateHz + index]! += level * value));
        }
        const whole = findVoiceActivity(samples, options);
        let previous = -1;
        for (const { startSeconds, endSeconds } of whole) {
          expect(startSeconds).toBeGreaterThan(previous);
          expect(endSeconds).toBeGreaterThan(startSeconds);
          previous = endSeconds;
        }
        expect(previous).toBeLessThanOrEqual(20.01);
        for (const { at } of spoken) expect(covers(whole, at + 0.15, at + 1.85)).toBe(true);

        const detector = createVoiceActivityDetector(options);
        for (let use = 0; use < 2; use++) {
          const found: VoiceRegion[] = [];
          let at = 0;
          for (const length of lengths) {
            found.push(...detector.push(samples.subarray(at, at + length)));
            at += length;
          }
          found.push(...detector.push(samples.subarray(at)), ...detector.flush());
          expect(found).toEqual(whole);
        }
      }),
      { numRuns: runs(15) },
    );
  });

  it('tells a region 4 s after its end', () => {
    const detector = createVoiceActivityDetector(options);
    const silence = new Float32Array(4.2 * sampleRateHz);
    expect(detector.push(vowels)).toEqual([]);
    expect(detector.push(silence).length).toBe(1);
    expect(detector.flush()).toEqual([]);
  });

  it.each([
    [{ sampleRateHz: 0 }, 'sampleRateHz: expected an integer from 1000 to 768000, got 0'],
    [{ ...options, paddingSeconds: -1 }, 'paddingSeconds: expected seconds from 0, got -1'],
    [{ ...options, minPauseSeconds: NaN }, 'minPauseSeconds: expected seconds from 0, got NaN'],
  ])('refuses %j', (wrong, message) => {
    expect(() => createVoiceActivityDetector(wrong)).toThrow(new RangeError(message));
  });

  it('refuses what is no audio', () => {
    expect(() => createVoiceActivityDetector(options).push('audio' as unknown as Float32Array)).toThrow(
      new TypeError('samples: expected a Float32Array, got string'),
    );
  });
});

type Formula = (index: number) => number;

function audio(seconds: number, formula: Formula): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * sampleRateHz) }, (_, index) => formula(index));
}

function noise(level: number): Formula {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return level * (state / 2 ** 31 - 1);
  };
}

function hum(hertz: number, level: number): Formula {
  const turn = (2 * Math.PI * hertz) / sampleRateHz;
  return (index) => level * (Math.sin(turn * index) + 0.3 * Math.sin(3 * turn * index));
}

function rumble(level: number): Formula {
  const white = noise(level);
  let value = 0;
  return () => (value = 0.95 * value + white(0));
}

function sum(a: Formula, b: Formula): Formula {
  return (index) => a(index) + b(index);
}

function covers(regions: readonly VoiceRegion[], start: number, end: number): boolean {
  return regions.some(({ startSeconds, endSeconds }) => startSeconds <= start && endSeconds >= end);
}
