import { describe, expect, it } from 'vitest';
import { readOggPage } from '../../../src/core/audio/containers/ogg.ts';
import { toOpusHead, writeOpusHead, writeOpusTags } from '../../../src/core/audio/containers/opus-head.ts';
import { resample } from '../../../src/core/audio/resample.ts';
import { writeOggPage } from '../../../src/core/audio/containers/ogg-stream.ts';
import { loadOpusEncoder } from '../../../src/runtime/audio-encode/opus.ts';
import { oggPage } from '../audio/write-ogg.ts';
import { readAll } from '../audio/read-all.ts';
import { encode } from './encode.ts';

/** A tone that swells and fades, of which no stretch is like another. */
function swell(seconds: number, sampleRateHz: number): Float32Array {
  const length = Math.round(seconds * sampleRateHz);
  return Float32Array.from({ length }, (_, at) => {
    const time = at / sampleRateHz;
    const phase = 2 * Math.PI * (200 * time + 150 * time * time);
    return 0.4 * Math.sin(phase) * Math.sin((Math.PI * at) / length);
  });
}

/** Rate at which this package decodes. */
const decodedHz = 16_000;

/** Decodes a file by the decoders of this package. */
async function decode(bytes: Uint8Array): Promise<Float32Array> {
  return (await readAll(bytes)).samples;
}

/** Noise beside the signal, in dB. */
function noiseDb(decoded: Float32Array, samples: Float32Array): number {
  let noise = 0;
  let signal = 0;
  for (const [at, sample] of samples.entries()) {
    noise += ((decoded[at] ?? 0) - sample) ** 2;
    signal += sample ** 2;
  }
  return 10 * Math.log10(noise / signal);
}

describe('Opus', () => {
  it.each([8_000, 16_000, 22_050, 24_000, 44_100, 48_000])(
    'has the samples of audio of %i Hz, in place and none too many',
    async (sampleRateHz) => {
      const samples = swell(1.2345, sampleRateHz);
      const bytes = await encode(await loadOpusEncoder(), samples, { sampleRateHz, piece: 5000 });
      const decoded = await decode(bytes);
      const expected = resample(samples, { fromHz: sampleRateHz, toHz: decodedHz });
      expect(Math.abs(decoded.length - expected.length)).toBeLessThanOrEqual(1);
      // A shift of one frame of 20 ms would be louder than the signal.
      expect(noiseDb(decoded, expected)).toBeLessThan(-10);
      expect(bytes.length).toBeLessThan(1.2345 * 8000);
    },
  );

  it('is the same whatever the pieces', async () => {
    const encoder = await loadOpusEncoder();
    const samples = swell(0.7, 24_000);
    const whole = await encode(encoder, samples, { sampleRateHz: 24_000 });
    for (const piece of [1, 479, 480, 481]) {
      expect(await encode(encoder, samples, { sampleRateHz: 24_000, piece })).toEqual(whole);
    }
  });

  it.each([3, 479, 480, 4799, 4800, 4801])('ends where %i samples end', async (length) => {
    const samples = swell(1, 24_000).subarray(0, length);
    const bytes = await encode(await loadOpusEncoder(), samples, { sampleRateHz: 24_000 });
    expect(Math.abs((await decode(bytes)).length - (length * decodedHz) / 24_000)).toBeLessThan(1);
  });

  it('gives a page each 200 ms, while the audio is made', async () => {
    let made = 0;
    async function* pieces(): AsyncGenerator<Float32Array> {
      for (; made < 10; made++) yield new Float32Array(24_000);
    }
    const encoder = await loadOpusEncoder();
    for await (const _ of encoder!.encode(pieces(), { sampleRateHz: 24_000, isWhole: false })) {
      if (made > 0) break;
    }
    expect(made).toBeLessThanOrEqual(1);
  });
});

it('Opus ends when the caller aborts, and can be used again', async () => {
  const encoder = await loadOpusEncoder();
  const samples = swell(1, 24_000);
  const signal = AbortSignal.abort();
  await expect(encode(encoder, samples, { sampleRateHz: 24_000, signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
  const again = async () => encode(encoder, samples, { sampleRateHz: 24_000 });
  const [one, other] = await Promise.all([again(), again()]);
  expect(one).toEqual(other);
});

describe('a page of Ogg', () => {
  it('is read as it was written', () => {
    const packets = [new Uint8Array(0), new Uint8Array(255).fill(7), new Uint8Array(300).fill(9)];
    const page = writeOggPage(packets, { serial: 5, sequence: 0, position: 960, isLast: true });
    expect(page).toEqual(Uint8Array.from(oggPage(packets, { serial: 5, position: 960, isLast: true })));
    const reading = readOggPage(0);
    let step = reading.next();
    while (step.done !== true) {
      const { offset, length } = step.value;
      step = reading.next(page.subarray(offset, offset + length));
    }
    expect(step.value).toMatchObject({ serial: 5, position: 960, isLast: true, isFirst: false });
  });

  it('takes 255 segments', () => {
    const options = { serial: 1, sequence: 0, position: 0 };
    expect(writeOggPage([new Uint8Array(255 * 254)], options).length).toBe(27 + 255 + 255 * 254);
    expect(() => writeOggPage([new Uint8Array(255 * 255)], options)).toThrow(
      'packets: expected at most 255 segments, got 256',
    );
  });

  it('begins Opus with its headers', () => {
    const head = writeOpusHead({ preSkip: 312, sampleRateHz: 24_000 });
    expect(toOpusHead(head)).toMatchObject({ channels: 1, preSkip: 312, gain: 1, streams: 1 });
    expect(Buffer.from(writeOpusTags('me')).toString('latin1')).toBe('OpusTags\x02\0\0\0me\0\0\0\0');
  });
});
