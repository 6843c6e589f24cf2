import { describe, expect, it } from 'vitest';
import { createTurnDetector, type TurnChange } from '../../../src/core/audio/turn-detector.ts';
import { clips } from './golden/clips.ts';

const sampleRateHz = 16_000;
const vowels = clips[7]!; // 2 s, RMS about −15 dB

/** Silence or noise with speech from 5 s to 7 s, and a total of 12 s. */
function audio(background: (index: number) => number, level: number): Float32Array {
  const samples = Float32Array.from({ length: 12 * sampleRateHz }, (_, index) => background(index));
  vowels.forEach((value, index) => (samples[5 * sampleRateHz + index]! += level * value));
  return samples;
}

/** Even noise of a RMS of `level`. */
function noise(level: number): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return level * Math.sqrt(3) * (state / 2 ** 31 - 1);
  };
}

const turnsOf = (samples: Float32Array, options: object = {}): TurnChange[] =>
  createTurnDetector({ sampleRateHz, ...options }).push(samples);
const secondsOf = (changes: readonly TurnChange[]): number[] =>
  changes.map(({ sample }) => sample / sampleRateHz);

describe('a microphone that sends zeros', () => {
  const seconds = (count: number, value: (index: number) => number): Float32Array =>
    Float32Array.from({ length: count * sampleRateHz }, (_, index) => value(index));
  const zeros = (count: number): Float32Array => new Float32Array(count * sampleRateHz);
  const join = (...parts: Float32Array[]): Float32Array =>
    Float32Array.from(parts.flatMap((part) => [...part]));

  it.each([0.0005, 0.003, 0.01, 0.03])('muted and unmuted in noise of %d is no turn', (level) => {
    const room = noise(level);
    const stream = join(seconds(4, room), zeros(5), seconds(4, room), zeros(1), seconds(4, room));
    expect(turnsOf(stream)).toEqual([]);
  });

  it.each([0.0005, 0.001])('unmuted for the first time in noise of %d is no turn', (level) => {
    expect(turnsOf(join(zeros(3), seconds(5, noise(level))))).toEqual([]);
  });

  it('unmuted for the first time in loud noise is one turn, which ends', () => {
    const changes = turnsOf(join(zeros(3), seconds(8, noise(0.03))));
    const [start = 0, end = 0] = secondsOf(changes);
    expect(changes.length).toBeLessThanOrEqual(2);
    expect(end - start).toBeLessThan(3.8);
  });

  it('muted while somebody speaks ends the turn, and speech after it is one', () => {
    const room = noise(0.003);
    const speech = (): Float32Array => seconds(2, (index) => vowels[index]! + room());
    const changes = turnsOf(
      join(seconds(4, room), speech(), zeros(3), seconds(2, room), speech(), seconds(3, room)),
    );
    expect(changes.map(({ type }) => type)).toEqual(['start', 'end', 'start', 'end']);
  });
});

describe('createTurnDetector', () => {
  it.each([
    ['silence', () => 0],
    ['low noise', noise(0.001)],
    ['loud noise', noise(0.1)],
  ])('finds no turn in %s', (_name, background) => {
    expect(turnsOf(audio(background, 0))).toEqual([]);
  });

  it.each([
    ['alone', () => 0, 1],
    ['alone, at −45 dB', () => 0, 0.03],
    ['in noise, 15 dB louder', noise(0.03), 1],
    ['in low noise', noise(0.001), 0.3],
  ])('finds speech %s', (_name, background, level) => {
    const changes = turnsOf(audio(background, level));
    expect(changes.map(({ type }) => type)).toEqual(['start', 'end']);
    const [start, end] = secondsOf(changes);
    expect(start).toBeGreaterThan(4.9);
    expect(start).toBeLessThan(5.2);
    expect(end).toBeGreaterThan(7.2);
    expect(end).toBeLessThan(7.6);
  });

  it('takes longer for a longer silence', () => {
    const [, short] = secondsOf(
      turnsOf(
        audio(() => 0, 1),
        { silenceSeconds: 0.2 },
      ),
    );
    const [, long] = secondsOf(
      turnsOf(
        audio(() => 0, 1),
        { silenceSeconds: 2 },
      ),
    );
    expect(long! - short!).toBeCloseTo(1.8, 1);
  });

  it('finds less at a higher threshold', () => {
    const quiet = audio(noise(0.01), 0.08);
    expect(turnsOf(quiet, { threshold: 0 }).length).toBeGreaterThan(0);
    expect(turnsOf(quiet, { threshold: 1 })).toEqual([]);
  });

  it('takes no click for speech', () => {
    const samples = audio(() => 0, 0);
    samples.fill(0.5, 80_000, 80_200);
    expect(turnsOf(samples)).toEqual([]);
  });

  it('takes a steady sound for noise after 3 s', () => {
    const tone = audio((index) => (index < 32_000 ? 0 : 0.1 * Math.sin(index / 3)), 0);
    const [start, end] = secondsOf(turnsOf(tone));
    expect(start).toBeCloseTo(2, 1);
    expect(end).toBeGreaterThan(4.9);
    expect(end).toBeLessThan(5.7);
  });

  it('finds the same in pieces', () => {
    const samples = audio(noise(0.001), 1);
    const detector = createTurnDetector({ sampleRateHz });
    const changes: TurnChange[] = [];
    for (let at = 0; at < samples.length; at += 777)
      changes.push(...detector.push(samples.subarray(at, at + 777)));
    expect(changes).toEqual(turnsOf(samples));
  });

  it('begins another turn after an interruption', () => {
    const samples = audio(() => 0, 1);
    const detector = createTurnDetector({ sampleRateHz });
    const [first] = detector.push(samples.subarray(0, 96_000));
    detector.interrupt();
    const [second, end] = detector.push(samples.subarray(96_000));
    expect([first!.type, second!.type, end!.type]).toEqual(['start', 'start', 'end']);
    expect(second!.sample).toBeGreaterThanOrEqual(95_000);
  });

  it.each([
    [{ sampleRateHz: 10 }, RangeError],
    [{ sampleRateHz, threshold: 1.1 }, RangeError],
    [{ sampleRateHz, threshold: -1 }, RangeError],
    [{ sampleRateHz, silenceSeconds: NaN }, RangeError],
    [{ sampleRateHz, silence: 1 }, TypeError],
  ])('refuses %o', (options, type) => {
    expect(() => createTurnDetector(options)).toThrow(type);
  });
});
