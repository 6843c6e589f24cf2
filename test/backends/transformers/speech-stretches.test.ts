import { expect, test } from 'vitest';
import {
  speechStretches,
  type SpeechStretch,
} from '../../../src/backends/transformers/transcription/speech-stretches.ts';

const sampleRateHz = 16_000;

/** Tones and silence, in seconds. */
function recording(
  ...parts: readonly (readonly [kind: 'tone' | 'silence', seconds: number])[]
): Float32Array {
  const pieces = parts.map(([kind, seconds]) =>
    Float32Array.from({ length: Math.round(seconds * sampleRateHz) }, (_, at) =>
      kind === 'tone' ? 0.2 * Math.sin(at / 5) * (1 + Math.sin(at / 2000)) : 0,
    ),
  );
  const joined = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

async function* inBlocks(samples: Float32Array): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += sampleRateHz) yield samples.subarray(at, at + sampleRateHz);
}

async function cut(samples: Float32Array, longestSeconds: number) {
  const stretches = speechStretches(inBlocks(samples), { sampleRateHz, longestSeconds });
  const all: SpeechStretch[] = [];
  for (;;) {
    const { done, value } = await stretches.next();
    if (done) return { all, seconds: value };
    all.push(value);
  }
}

test('silence is left out, and each stretch tells where it was', async () => {
  const { all, seconds } = await cut(recording(['silence', 2], ['tone', 3], ['silence', 4], ['tone', 2]), 28);
  expect(seconds).toBe(11);
  expect(all.map(({ startSeconds }) => Math.round(startSeconds))).toEqual([2, 9]);
  expect(all.map(({ samples }) => Math.round(samples.length / sampleRateHz))).toEqual([4, 2]);
});

test('speech without a pause is cut, and nothing of it is lost or said twice', async () => {
  const { all, seconds } = await cut(recording(['tone', 25]), 10);
  expect(seconds).toBe(25);
  let end = 0;
  for (const { startSeconds, samples } of all) {
    expect(samples.length).toBeLessThanOrEqual(10 * sampleRateHz);
    expect(Math.abs(startSeconds - end)).toBeLessThan(0.5);
    end = startSeconds + samples.length / sampleRateHz;
  }
  expect(end).toBeGreaterThan(24.5);
  expect(all.length).toBeGreaterThan(2);
});

test('silence alone has no stretch', async () => {
  expect(await cut(recording(['silence', 31]), 28)).toEqual({ all: [], seconds: 31 });
});
