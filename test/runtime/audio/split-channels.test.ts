import { expect, it } from 'vitest';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { splitChannels } from '../../../src/runtime/audio/open-audio.ts';
import { writeWav } from './write-wav.ts';

/** Blocks of two channels, the second above the first by 100; counts those that are decoded. */
function decoded(count: number) {
  const state = { count: 0 };
  async function* decode() {
    for (let at = 0; at < count; at++) {
      state.count++;
      yield { sampleRateHz: 8000, channels: [Float32Array.of(at), Float32Array.of(100 + at)] };
    }
  }
  return { state, readers: splitChannels(decode(), 2) };
}

async function rest(blocks: AsyncIterable<{ channels: readonly Float32Array[] }>): Promise<number[]> {
  const values: number[] = [];
  for await (const { channels } of blocks) values.push(...channels.flatMap((one) => [...one]));
  return values;
}

it('decodes each block once for all channels', async () => {
  const { state, readers } = decoded(5);
  const [left, right] = readers as [(typeof readers)[0], (typeof readers)[0]];
  expect((await left.next()).value).toMatchObject({ channels: [Float32Array.of(0)] });
  expect((await left.next()).value).toMatchObject({ channels: [Float32Array.of(1)] });
  expect((await right.next()).value).toMatchObject({ channels: [Float32Array.of(100)] });
  expect(state.count).toBe(2);
  expect(await rest(right)).toEqual([101, 102, 103, 104]);
  expect(await rest(left)).toEqual([2, 3, 4]);
  expect(state.count).toBe(5);
});

it('loses nothing where readers wait at once', async () => {
  const { state, readers } = decoded(5);
  expect(await Promise.all(readers.map(rest))).toEqual([
    [0, 1, 2, 3, 4],
    [100, 101, 102, 103, 104],
  ]);
  expect(state.count).toBe(5);
});

it('gives a file by its channels, to the end of each', async () => {
  const samples = Float32Array.from({ length: 96_000 }, (_, at) => (at % 2 === 0 ? 0.25 : -0.5));
  const wav = Buffer.from(writeWav(samples, { format: 1, bits: 16, sampleRateHz: 16_000 }));
  wav.writeUInt16LE(2, 22);
  wav.writeUInt16LE(4, 32);
  const { channels, streams, close } = await openAudio(wav, { maxSeconds: 60, separate: true });
  expect(channels).toBe(2);
  for (const [stream, value] of [
    [streams[0]!, 0.25],
    [streams[1]!, -0.5],
  ] as const) {
    let length = 0;
    for await (const block of stream) {
      length += block.length;
      expect(block.every((sample) => Math.abs(sample - value) < 1e-4)).toBe(true);
    }
    expect(length).toBe(48_000);
  }
  await close();
});
