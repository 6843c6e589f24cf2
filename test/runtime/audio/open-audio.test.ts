import { mkdtemp, readdir, readlink, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { chirp, chirpSeconds, correlation } from './chirp.ts';
import { mediaPath, readAll } from './read-all.ts';
import { silentFlac } from './silence.ts';
import { oggPage } from './write-ogg.ts';
import { type WavOptions, writeWav } from './write-wav.ts';

const tone = new Float32Array(1600).fill(0.1);
const pcm16: WavOptions = { format: 1, bits: 16 };

/** A WAV file in which some bytes are others. */
function wavWith(bytes: Readonly<Record<number, number>>): Uint8Array {
  const wav = writeWav(tone, pcm16);
  for (const [at, byte] of Object.entries(bytes)) wav[Number(at)] = byte;
  return wav;
}

function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

describe('openAudio names what it refuses', () => {
  const cases: readonly (readonly [found: string, Uint8Array])[] = [
    ['an empty file', new Uint8Array()],
    ['text', latin1('Dear Sir or Madam,\n')],
    ['JSON', latin1('{"file": 1}')],
    ['an HTML page', latin1('<!DOCTYPE html><title>404</title>')],
    ['XML', latin1('<?xml version="1.0"?>')],
    ['a PNG image', latin1('\x89PNG\r\n\x1a\n')],
    ['a JPEG image', latin1('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['a PDF', latin1('%PDF-1.7')],
    ['a ZIP', latin1('PK\x03\x04')],
    ['a gzip file', gzipSync('a')],
    ['an AIFF file without a format', latin1('FORM\0\0\0\0AIFF')],
    ['a SILK file', latin1('#!SILK_V3')],
    ['an MPEG program stream', latin1('\0\0\x01\xba\x44\0\x04\0')],
    ['an MPEG transport stream', latin1(`G${'\xff'.repeat(187)}`.repeat(4))],
    ['an AVI video', latin1('RIFF\0\0\0\0AVI LIST')],
    ['a HEIF image', latin1('\0\0\0\x18ftypheic')],
    ['tags without audio', latin1('ID3\x04\0\0\0\0\0\0')],
    ['zeros', new Uint8Array(5000)],
    ['content of an unknown kind', Uint8Array.from({ length: 9999 }, (_, index) => (index * 89) % 251)],
    ['a WAV file without samples', writeWav(tone, pcm16).subarray(0, 36)],
    ['a file without any audio in it', writeWav(new Float32Array(), pcm16)],
    ['a WAV file with samples of format 0x1234', wavWith({ 20: 0x34, 21: 0x12 })],
    ['a WAV file with samples of 99 bits in 2 bytes each', wavWith({ 34: 99 })],
    ['a WAV file of 0 channels (1 to 64 are read)', wavWith({ 22: 0 })],
    ['audio of 0 samples per second', wavWith({ 24: 0, 25: 0 })],
    ['an Ogg file with Speex audio in it', oggPage([latin1('Speex   1.2')], { isFirst: true })],
  ];

  it.each(cases)('%s', async (found, bytes) => {
    await expect(openAudio(bytes, { maxSeconds: 60 })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'file',
      message: `file: expected audio (wav, mp3, flac, ogg, webm, mp4, aac, aiff), got ${found}.`,
    });
  });

  it.each([
    ['video-only.mp4', 'an MP4 without an audio track'],
    ['video-only.webm', 'a WebM or Matroska file without audio'],
  ])('%s', async (name, found) => {
    const opening = openAudio({ path: mediaPath(name) }, { maxSeconds: 60 });
    await expect(opening).rejects.toThrow(`got ${found}.`);
  });

  it.each([join(tmpdir(), 'nonexistent'), tmpdir()])('the path %s', async (path) => {
    await expect(openAudio({ path }, { maxSeconds: 60 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'file: the file cannot be opened.',
    });
  });
});

describe('a file whose end is missing', () => {
  it.each([
    'stereo.mp3',
    'stereo.flac',
    'flac.ogg',
    'vorbis.ogg',
    'opus.webm',
    'vorbis.webm',
    'live-with-video.mkv',
    'aac-with-video.mp4',
    'aac.aac',
  ])('%s is decoded as far as it goes', async (name) => {
    const file = await readFile(mediaPath(name));
    const { samples } = await readAll(file.subarray(0, 0.85 * file.length));
    const { samples: whole } = await readAll(file);
    expect(samples.length).toBeGreaterThan(0.3 * whole.length);
    expect(samples.length).toBeLessThan(whole.length);
    const length = samples.length - 1600;
    expect(correlation(whole.subarray(0, length), samples.subarray(0, length))).toBeGreaterThan(0.98);
  });

  it('is decoded as WAV up to its last whole sample', async () => {
    const wav = writeWav(chirp(16_000), { ...pcm16, channels: 2 });
    const { samples } = await readAll(wav.subarray(0, wav.length - 4001));
    expect(samples.length).toBe(chirpSeconds * 16_000 - 1001);
  });
});

describe('maxSeconds', () => {
  it('refuses a file by what its header says', async () => {
    const claims = writeWav(new Float32Array(16_001), pcm16);
    await expect(openAudio(claims, { maxSeconds: 1 })).rejects.toThrow('expected at most 1 seconds of audio');
    await expect(openAudio({ path: mediaPath('stereo.flac') }, { maxSeconds: 1 })).rejects.toThrow(
      'at most 1',
    );
    await expect(openAudio({ path: mediaPath('aac.m4a') }, { maxSeconds: 1 })).rejects.toThrow('at most 1');
  });

  it.each(['stereo.mp3', 'vorbis.ogg', 'opus.webm', 'aac.aac'])('ends the decoding of %s', async (name) => {
    const reading = readAll({ path: mediaPath(name) }, { maxSeconds: 1.1 });
    await expect(reading).rejects.toMatchObject({ code: 'invalid_request', param: 'file' });
  });

  it('allows audio of just that length', async () => {
    const { samples } = await readAll(
      writeWav(new Float32Array(44_100), { ...pcm16, sampleRateHz: 44_100 }),
      {
        maxSeconds: 1,
      },
    );
    expect(samples.length).toBe(16_000);
  });
});

describe('an audio stream', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('ends with `cancelled` when its signal is aborted', async () => {
    await expect(
      openAudio(silentFlac(60), { maxSeconds: 60, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'cancelled' });

    const controller = new AbortController();
    const { blocks } = await openAudio(silentFlac(60), { maxSeconds: 60, signal: controller.signal });
    setImmediate(() => controller.abort());
    let seconds = 0;
    const reading = (async () => {
      for await (const _ of blocks) seconds++;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    expect(seconds).toBeLessThan(10);
  });

  it.each(['read', 'left', 'closed', 'refused'])(
    'frees its decoder and closes its file when it is %s',
    async (how) => {
      const folder = await mkdtemp(join(tmpdir(), 'slashv1-audio-'));
      const path = join(folder, 'audio.flac');
      await writeFile(path, silentFlac(how === 'refused' ? 12 : 5));
      const free = vi.spyOn(FLACDecoder.prototype, 'free');
      // Of this file alone: others of the process have files of their own.
      const openFiles = async () => {
        const open = (await readdir('/proc/self/fd')).map((file) =>
          readlink(`/proc/self/fd/${file}`).catch(() => ''),
        );
        return (await Promise.all(open)).filter((target) => target === path).length;
      };
      const before = await openFiles();

      const audio = await openAudio({ path }, { maxSeconds: 10 });
      expect(await openFiles()).toBe(before + 1);
      expect(free).not.toHaveBeenCalled();
      if (how === 'closed') await audio.close();
      else if (how === 'left') for await (const _ of audio.blocks) break;
      else if (how === 'read') for await (const block of audio.blocks) expect(block.length).toBe(16_000);
      else await expect(readBlocks(audio.blocks)).rejects.toThrow('at most 10');
      expect(free).toHaveBeenCalledTimes(1);
      expect(await openFiles()).toBe(before);
      await audio.close();
      await rm(folder, { recursive: true });
    },
  );
});

async function readBlocks(blocks: AsyncIterable<Float32Array>): Promise<number> {
  let count = 0;
  for await (const _ of blocks) count++;
  return count;
}
