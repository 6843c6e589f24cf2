import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AudioSource } from '../../../src/runtime/audio/byte-source.ts';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { bytesAlive } from './bytes-alive.ts';
import { silentFlac, silentMp3 } from './silence.ts';
import { isThorough } from '../../thorough.ts';
import { writeWav } from './write-wav.ts';

vi.setConfig({ testTimeout: 120_000 });

/** In seconds; a sixth of it outside of CI. */
const hour = isThorough ? 3600 : 600;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-audio-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Decodes a file, and counts its seconds and the most bytes that were alive on the way. */
async function measure(source: AudioSource): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const before = await bytesAlive();
  let [samples, blocks, bytes] = [0, 0, 0];
  const audio = await openAudio(source, { maxSeconds: 2 * hour });
  for await (const block of audio.blocks) {
    expect(block.length).toBeLessThanOrEqual(audio.sampleRateHz);
    samples += block.length;
    if (++blocks % 600 === 1) bytes = Math.max(bytes, (await bytesAlive()) - before);
  }
  return { seconds: samples / audio.sampleRateHz, bytes };
}

it('decodes an hour of WAV in little memory', async () => {
  const path = join(folder, 'hour.wav');
  const header = writeWav(new Float32Array(0), { format: 1, bits: 16, dataLength: hour * 32_000 });
  await writeFile(path, header);
  const file = await open(path, 'r+');
  await file.truncate(header.length + hour * 32_000);
  await file.close();
  const { seconds, bytes } = await measure({ path });
  expect(seconds).toBe(hour);
  expect(bytes).toBeLessThan(2 ** 21);
});

it.each([
  ['FLAC', silentFlac],
  ['MP3', silentMp3],
])('decodes an hour of %s in little memory', async (name, write) => {
  const path = join(folder, `hour.${name}`);
  await writeFile(path, write(hour));
  const { seconds, bytes } = await measure({ path });
  expect(Math.round(seconds)).toBe(hour);
  // Of which the decoder's own memory is 16 MB.
  expect(bytes).toBeLessThan(2 ** 25);
});

it('refuses audio that turns out to be longer than it may be, before it is decoded to the end', async () => {
  const audio = await openAudio(silentFlac(6 * hour), { maxSeconds: 100 });
  let blocks = 0;
  const reading = (async () => {
    for await (const _ of audio.blocks) blocks++;
  })();
  await expect(reading).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'file',
    message: 'file: expected at most 100 seconds of audio.',
  });
  expect(blocks).toBeLessThanOrEqual(100);
});
