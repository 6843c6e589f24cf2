import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../src/errors.ts';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { bytesAlive } from './bytes-alive.ts';
import { mutations } from './mutations.ts';
import { isThorough } from '../../thorough.ts';
import { mediaPath, readAll } from './read-all.ts';
import { writeWav } from './write-wav.ts';

const names = readdirSync(mediaPath('')).filter((name) => !/\.(py|json)$/.test(name));
const files = new Map<string, Uint8Array>(
  names.map((name) => [name, new Uint8Array(readFileSync(mediaPath(name)))]),
);
files.set('16-bit.wav', writeWav(new Float32Array(4000).fill(0.1), { format: 1, bits: 16 }));
vi.setConfig({ testTimeout: 120_000 });

const count = isThorough ? 300 : 100;
const maxSeconds = 20;
const ffmpegPath = '/nonexistent/ffmpeg';

afterEach(() => {
  vi.restoreAllMocks();
});

it('decodes damaged files, or says what is wrong with them', async () => {
  const complaint = vi.spyOn(console, 'error');
  let [decoded, refused] = [0, 0];
  // Every decoder keeps the memory of its last use.
  for (const bytes of files.values()) await readAll(bytes, { maxSeconds, ffmpegPath }).catch(() => {});
  const before = await bytesAlive();
  for (const { name, bytes } of mutations(files, { count, seed: 1 })) {
    try {
      const { blocks } = await openAudio(bytes, { maxSeconds, ffmpegPath });
      let samples = 0;
      for await (const block of blocks) {
        expect(block.every(Number.isFinite), name).toBe(true);
        samples += block.length;
      }
      expect(samples, name).toBeGreaterThan(0);
      decoded++;
    } catch (error) {
      if (!InferenceError.isInstance(error)) throw error;
      expect(error.code, name).toBe('invalid_request');
      expect(error.message, name).toMatch(/^file: .+\.$/);
      refused++;
    }
  }
  expect(decoded + refused).toBe(count);
  expect(decoded).toBeGreaterThan(count / 6);
  expect(refused).toBeGreaterThan(count / 6);
  expect(complaint).not.toHaveBeenCalled();
  expect((await bytesAlive()) - before).toBeLessThan(2 ** 22);
});

it('refuses every file that is cut off within its first bytes', async () => {
  for (const [name, bytes] of files) {
    for (const length of [1, 3, 4, 8, 12, 20, 30]) {
      const opening = openAudio(bytes.subarray(0, length), { maxSeconds });
      await expect(opening, `${name}, ${length}`).rejects.toMatchObject({ code: 'invalid_request' });
    }
  }
});
