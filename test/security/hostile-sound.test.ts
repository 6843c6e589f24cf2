import { describe, expect, it } from 'vitest';
import { assignSpeakers } from '../../src/core/audio/diarization/assign-speakers.ts';
import { groupVoices } from '../../src/core/audio/diarization/group-voices.ts';
import { decodePowerset } from '../../src/core/audio/diarization/powerset.ts';
import { toSpeakerTurns } from '../../src/core/audio/diarization/speaker-turns.ts';
import type { AudioEncoder } from '../../src/runtime/audio-encode/contract.ts';
import { loadOpusEncoder } from '../../src/runtime/audio-encode/opus.ts';
import { pcmEncoder } from '../../src/runtime/audio-encode/pcm.ts';
import { wavEncoder } from '../../src/runtime/audio-encode/encoders.ts';
import { loadWebCodecsEncoder, webCodecsFormats } from '../../src/runtime/audio-encode/web-codecs.ts';

const sampleRateHz = 24_000;
const filled = (value: number): Float32Array => new Float32Array(sampleRateHz).fill(value);
const hostile: Readonly<Record<string, readonly Float32Array[]>> = {
  'no numbers': [filled(Number.NaN)],
  infinity: [filled(Infinity), filled(-Infinity)],
  'the largest numbers': [filled(3.4e38), filled(-3.4e38)],
  'the smallest numbers': [filled(1e-45)],
  'one sample': [Float32Array.of(1)],
  'empty pieces': [new Float32Array(), new Float32Array(), filled(0.1), new Float32Array()],
  'many pieces of one sample': Array.from({ length: 2000 }, (_, index) => Float32Array.of(Math.sin(index))),
  'full scale, back and forth': [
    Float32Array.from({ length: sampleRateHz }, (_, index) => (index % 2) * 2 - 1),
  ],
};

async function* piecesOf(samples: readonly Float32Array[]): AsyncGenerator<Float32Array> {
  yield* samples;
}

const encoders: readonly (AudioEncoder | undefined)[] = [
  pcmEncoder,
  wavEncoder,
  await loadOpusEncoder(),
  ...(await Promise.all(webCodecsFormats.map((format) => loadWebCodecsEncoder(format)))),
];
const found = encoders.filter((encoder) => encoder !== undefined);

describe.each(found.map((encoder) => [encoder.format, encoder] as const))('as %s', (_, encoder) => {
  it.each(Object.entries(hostile))('%s ends as a file', async (_name, samples) => {
    let bytes = 0;
    for await (const piece of encoder.encode(piecesOf(samples), { sampleRateHz, isWhole: false }))
      bytes += piece.length;
    expect(bytes).toBeGreaterThan(0);
  });
});

describe('speakers of hostile numbers', () => {
  it.each([Number.NaN, Infinity, -Infinity])('logits of %d are speakers of the model', (value) => {
    const heard = decodePowerset(new Float32Array(7 * 100).fill(value), 3);
    expect(heard).toHaveLength(100);
    expect(Math.max(...heard)).toBeLessThan(2 ** 3);
  });

  it.each([
    ['no numbers', Number.NaN],
    ['nothing', 0],
    ['the largest numbers', 3e38],
  ])('voices of %s each get a group', (_, value) => {
    const voices = Array.from({ length: 50 }, (__, index) => ({
      embedding: new Float32Array(16).fill(value),
      isClear: index % 2 === 0,
    }));
    const groups = groupVoices(voices, { threshold: 0.7, minVoices: 5, maxCompared: 20 });
    expect(groups).toHaveLength(50);
    for (const group of groups) expect(group >= 0 && group < 50).toBe(true);
  });

  it('who changes in every frame has turns in order, and each word one speaker', () => {
    const frames = 5000;
    const activity = Uint8Array.from({ length: frames }, (_, frame) => 1 << (frame % 3));
    const turns = toSpeakerTurns([{ startFrame: 0, activity, speakers: [0, 1, 2] }], { maxSimultaneous: 1 });
    expect(turns).toHaveLength(frames);
    const seconds = turns.map(({ speaker, startFrame, endFrame }) => ({
      speaker,
      startSeconds: startFrame / 60,
      endSeconds: endFrame / 60,
    }));
    const words = Array.from({ length: 500 }, (_, index) => ({
      word: ` w${index}`,
      startSeconds: index / 6,
      endSeconds: index / 6,
    }));
    const text = words.map(({ word }) => word).join('');
    const said = assignSpeakers([{ text, startSeconds: 0, endSeconds: 84, words }], seconds);
    expect(said.map((segment) => segment.text).join(' ')).toBe(text.trim());
  });

  it.each([
    ['backwards', 5, 1],
    ['beyond the end', 1e9, 2e9],
  ])('words whose times are %s are said by somebody', (_, startSeconds, endSeconds) => {
    const turns = [{ speaker: 0, startSeconds: 0, endSeconds: 2 }];
    const words = [{ word: 'a', startSeconds, endSeconds }];
    const said = assignSpeakers([{ text: 'a', startSeconds, endSeconds, words }], turns);
    expect(said.map(({ speaker, text }) => [speaker, text])).toEqual([['A', 'a']]);
  });

  it('words whose times are no numbers are refused', () => {
    const words = [{ word: 'a', startSeconds: Number.NaN, endSeconds: Number.NaN }];
    const segment = { text: 'a', startSeconds: 0, endSeconds: 1, words };
    expect(() => assignSpeakers([segment], [{ speaker: 0, startSeconds: 0, endSeconds: 2 }])).toThrow(
      RangeError,
    );
  });
});
