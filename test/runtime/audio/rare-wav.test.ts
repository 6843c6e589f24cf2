import { expect, it } from 'vitest';
import { chirp, correlation } from './chirp.ts';
import { readAll } from './read-all.ts';
import { riffChunk, writeWav } from './write-wav.ts';

const sound = chirp(16_000);
const pcm16 = { format: 1, bits: 16 } as const;
const wav = Buffer.from(writeWav(sound, pcm16));

const hears = async (bytes: Uint8Array): Promise<void> => {
  const { samples } = await readAll(bytes);
  expect(samples).toHaveLength(sound.length);
  expect(correlation(samples, sound)).toBeGreaterThan(0.999);
};

/** The same file with the numbers of its header and its samples the other way round. */
function bigEndian(): Buffer {
  const file = Buffer.from(wav);
  file.write('RIFX', 'latin1');
  for (const at of [16, 24, 28, 40]) file.subarray(at, at + 4).reverse();
  for (const at of [20, 22, 32, 34]) file.subarray(at, at + 2).reverse();
  file.subarray(44).swap16();
  return file;
}

it('hears a WAV file behind a tag of ID3', () =>
  hears(Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x05.....', 'latin1'), wav])));

it('hears a WAV file with an odd chunk, filled up or not', async () => {
  const note = riffChunk('note', Buffer.from('odd'));
  await hears(writeWav(sound, { ...pcm16, chunks: [note] }));
  await hears(writeWav(sound, { ...pcm16, chunks: [note.subarray(0, -1)] }));
});

it('hears a big-endian WAV file', () => hears(bigEndian()));

it('hears two channels that cancel each other', async () => {
  const frames = Float32Array.from({ length: 2 * sound.length }, (_, at) =>
    at % 2 === 0 ? sound[at >> 1]! : -sound[at >> 1]!,
  );
  const file = Buffer.from(writeWav(frames, pcm16));
  file.writeUInt16LE(2, 22);
  file.writeUInt16LE(4, 32);
  await hears(file);
});
