import { existsSync, readFileSync } from 'node:fs';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SpeechFormat } from '../../../src/core/audio/speech-formats.ts';
import { createEncoderFinder } from '../../../src/runtime/audio-encode/encoders.ts';
import { createFfmpegEncoder, listFfmpegFormats } from '../../../src/runtime/audio-encode/ffmpeg.ts';
import { loadOpusEncoder } from '../../../src/runtime/audio-encode/opus.ts';
import { loadWebCodecsEncoder } from '../../../src/runtime/audio-encode/web-codecs.ts';
import { toPcm, toPcmBytes } from '../../../src/runtime/audio-encode/pcm.ts';
import { writeFakeFfmpeg } from './fake-ffmpeg.ts';
import { needs } from '../../needs.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-encode-'));
});
afterAll(() => rm(folder, { recursive: true }));

const hasWebCodecs = (await loadWebCodecsEncoder('mp3')) !== undefined;
const sampleRateHz = 24_000;

async function* pieces(...all: readonly Float32Array[]): AsyncGenerator<Float32Array> {
  yield* all;
}

async function* endless(): AsyncGenerator<Float32Array> {
  for (;;) {
    await delay(1);
    yield new Float32Array(24_000);
  }
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of bytes) all.push(piece);
  return Buffer.concat(all);
}

/** Resolves when a fake has been run and has written its process id. */
async function started(fake: string): Promise<void> {
  while (!existsSync(`${fake}.pids`) || readFileSync(`${fake}.pids`).length === 0) await delay(5);
}

/** Resolves when the last process of a fake has ended. */
async function ended(fake: string): Promise<void> {
  const pid = Number((await readFile(`${fake}.pids`, 'utf8')).trim().split('\n').at(-1));
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await delay(5);
  }
}

describe('pcm', () => {
  it.each([
    [0, 0],
    [1, 32_767],
    [-1, -32_768],
    [0.5, 16_384],
    [-0.6 / 2 ** 15, -1],
    [0.4 / 2 ** 15, 0],
    [2, 32_767],
    [-Infinity, -32_768],
    [Number.NaN, 0],
  ])('%f is %i', (sample, expected) => {
    expect(toPcm(Float32Array.of(sample))).toEqual(Int16Array.of(expected));
  });

  it('is read as it was written', () => {
    const samples = Float32Array.from({ length: 2 ** 16 }, (_, at) => at / 2 ** 15 - 1);
    expect(Float32Array.from(toPcm(samples), (value) => value / 2 ** 15)).toEqual(samples);
  });

  it('is little-endian', () => {
    expect(toPcmBytes(Float32Array.of(1, -1))).toEqual(Uint8Array.of(0xff, 0x7f, 0x00, 0x80));
  });
});

describe('the formats of a machine', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['all codecs', ['libmp3lame', 'libopus', 'aac', 'flac'], ['mp3', 'opus', 'flac', 'aac']],
    ['some', ['pcm_s16le', 'aac'], ['aac']],
    ['another of the same name', ['mp3', 'opus'], []],
  ])('are those of an ffmpeg with %s', async (_title, codecs, formats) => {
    expect(await listFfmpegFormats(await writeFakeFfmpeg(folder, { codecs }))).toEqual(formats);
  });

  it.each([
    ['no ffmpeg', () => join(folder, 'none')],
    ['another program', () => '/bin/false'],
    ['a folder', () => folder],
  ])('are wav and pcm with %s', async (_title, path) => {
    const find = createEncoderFinder({ ffmpegPath: path(), packages: [] });
    expect((await find('wav')).mediaType).toBe('audio/wav');
    expect((await find('pcm')).mediaType).toBe('audio/pcm');
    const refusal = find('mp3');
    await expect(refusal).rejects.toMatchObject({ code: 'invalid_request', param: 'response_format' });
    await expect(refusal).rejects.toThrow(/expected one of wav, pcm, got mp3, .* libmp3lame/);
  });

  it('are in the refusal of another', async () => {
    const find = createEncoderFinder({ ffmpegPath: await writeFakeFfmpeg(folder), packages: [] });
    await expect(find('opus')).rejects.toThrow(/expected one of wav, pcm, mp3, aac, got opus/);
  });

  it('are asked for once', async () => {
    const fake = await writeFakeFfmpeg(folder, { codecs: ['aac', 'once'] });
    const find = createEncoderFinder({ ffmpegPath: fake, packages: [] });
    await Promise.all([find('aac'), find('aac'), find('aac')]);
    expect((await readFile(`${fake}.pids`, 'utf8')).trim().split('\n')).toHaveLength(1);
  });
});

describe('the formats of optional packages', () => {
  const none = join(tmpdir(), 'no-ffmpeg');

  it('need no ffmpeg, and are in the refusal of another', async () => {
    const missing = { name: 'node-webcodecs', format: 'mp3', load: async () => undefined } as const;
    const opus = { name: '@evan/opus', format: 'opus', load: loadOpusEncoder } as const;
    const find = createEncoderFinder({ ffmpegPath: none, packages: [missing, opus] });
    expect((await find('opus')).mediaType).toBe('audio/ogg');
    await expect(find('mp3')).rejects.toThrow(
      /expected one of wav, pcm, opus, got mp3, which needs the package node-webcodecs or an ffmpeg with libmp3lame/,
    );
  });

  it.skipIf(!hasWebCodecs)('are found before an ffmpeg', async () => {
    const find = createEncoderFinder({ ffmpegPath: await writeFakeFfmpeg(folder) });
    const [mp3, aac, flac] = await Promise.all([find('mp3'), find('aac'), find('flac')]);
    expect([mp3, aac, flac].map(({ mediaType }) => mediaType)).toEqual([
      'audio/mpeg',
      'audio/aac',
      'audio/flac',
    ]);
    const samples = new Float32Array(24_000).fill(0.25);
    const bytes = await collect(mp3.encode(pieces(samples), { sampleRateHz, isWhole: true }));
    expect(bytes.toString('latin1', 0, 2)).toBe('\xff\xf3');
  });

  it('name the package where it is missing', async () => {
    const packages = [{ name: '@evan/opus', format: 'opus', load: async () => undefined }] as const;
    const find = createEncoderFinder({ ffmpegPath: none, packages });
    await expect(find('opus')).rejects.toThrow(
      /expected one of wav, pcm, got opus, which needs the package @evan\/opus or an ffmpeg with libopus/,
    );
  });
});

describe('an encoder of ffmpeg', () => {
  const options = { sampleRateHz, isWhole: false };

  it.each<[SpeechFormat, string, string]>([
    ['mp3', 'audio/mpeg', '-c:a libmp3lame -b:a 96k -flush_packets 1 -f mp3 pipe:1'],
    [
      'opus',
      'audio/ogg',
      '-c:a libopus -b:a 48k -application voip -page_duration 200000 -flush_packets 1 -f ogg pipe:1',
    ],
    ['aac', 'audio/aac', '-c:a aac -b:a 96k -flush_packets 1 -f adts pipe:1'],
  ])('sends the samples of %s through it', async (format, mediaType, output) => {
    const encoder = createFfmpegEncoder(await writeFakeFfmpeg(folder), format);
    expect(encoder.mediaType).toBe(mediaType);
    const samples = [Float32Array.of(0, 0.5), new Float32Array(200_000).fill(-0.25)] as const;
    const bytes = await collect(encoder.encode(pieces(...samples), options));
    const lineEnd = bytes.indexOf('\n');
    expect(bytes.toString('utf8', 0, lineEnd)).toBe(
      `-hide_banner -loglevel error -nostdin -f s16le -ar 24000 -ac 1 -i pipe:0 ${output}`,
    );
    expect(bytes.subarray(lineEnd + 1).equals(Buffer.concat(samples.map(toPcmBytes)))).toBe(true);
  });

  it('is killed when the caller aborts', async () => {
    const fake = await writeFakeFfmpeg(folder, { mode: 'hang' });
    const controller = new AbortController();
    const encoding = collect(
      createFfmpegEncoder(fake, 'aac').encode(endless(), { ...options, signal: controller.signal }),
    );
    void started(fake).then(() => controller.abort());
    await expect(encoding).rejects.toMatchObject({ code: 'cancelled' });
    await ended(fake);
  });

  it('is killed when the caller has aborted before it runs', async () => {
    const fake = await writeFakeFfmpeg(folder, { codecs: ['aac', 'early'], mode: 'hang' });
    const encoder = createFfmpegEncoder(fake, 'aac');
    await expect(
      collect(encoder.encode(endless(), { ...options, signal: AbortSignal.abort() })),
    ).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('is killed when its reader leaves', async () => {
    const fake = await writeFakeFfmpeg(folder, { codecs: ['aac', 'left'] });
    for await (const bytes of createFfmpegEncoder(fake, 'aac').encode(endless(), options)) {
      expect(bytes.length).toBeGreaterThan(0);
      break;
    }
    await ended(fake);
  });

  it('passes on what goes wrong in making the audio', async () => {
    const failing = async function* (): AsyncGenerator<Float32Array> {
      yield new Float32Array(10);
      throw new Error('no more');
    };
    const encoder = createFfmpegEncoder(await writeFakeFfmpeg(folder), 'aac');
    await expect(collect(encoder.encode(failing(), options))).rejects.toThrow('no more');
  });

  it('passes on what it says when it fails', async () => {
    const encoder = createFfmpegEncoder(await writeFakeFfmpeg(folder, { mode: 'fail' }), 'aac');
    await expect(collect(encoder.encode(endless(), options))).rejects.toThrow(
      /ended with 1: Unknown something/,
    );
  });

  it('writes no format that it does not know', () => {
    expect(() => createFfmpegEncoder('ffmpeg', 'wav')).toThrow(RangeError);
  });
});

describe('the ffmpeg of this machine, if it has one', async () => {
  const formats = await listFfmpegFormats('ffmpeg');
  const magic: Partial<Record<SpeechFormat, RegExp>> = {
    mp3: /^(?:ID3|\xff[\xe2-\xff])/,
    opus: /^OggS[^]*OpusHead/,
    aac: /^\xff[\xf0-\xff]/,
    flac: /^fLaC/,
  };

  it(
    'writes every format that it lists',
    needs(formats.length === 0 ? 'ffmpeg is not installed' : undefined),
    async () => {
      const find = createEncoderFinder({ packages: [] });
      const tone = Float32Array.from({ length: sampleRateHz }, (_, at) => Math.sin(at / 10) / 2);
      for (const format of formats) {
        const encoder = await find(format);
        const bytes = await collect(encoder.encode(pieces(tone), { sampleRateHz, isWhole: true }));
        expect(bytes.toString('latin1')).toMatch(magic[format]!);
        expect(bytes.length).toBeGreaterThan(2000);
      }
    },
  );
});
