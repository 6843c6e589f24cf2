import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { chirp, correlation } from './chirp.ts';
import { mediaPath, readAll } from './read-all.ts';
import { writeWav } from './write-wav.ts';

// As on a platform that the package has no build for.
vi.mock('node-webcodecs', () => {
  throw new Error('There is no build for this platform.');
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-ffmpeg-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** A program that is called like ffmpeg: notes its process and what it was called with, then does `then`. */
async function fakeFfmpeg(
  name: string,
  then: string,
): Promise<{ readonly path: string; readonly note: string }> {
  const path = join(folder, name);
  const note = `${path}.json`;
  const script = `#!${process.execPath}
    const { readFileSync, writeFileSync } = require('node:fs');
    const input = process.argv.find((argument) => argument.startsWith('file:')).slice('file:'.length);
    const bytes = readFileSync(input).toString('base64');
    writeFileSync(${JSON.stringify(note)}, JSON.stringify({ id: process.pid, call: process.argv.slice(2), input, bytes }));
    ${then}`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return { path, note };
}

interface Note {
  readonly id: number;
  readonly call: readonly string[];
  readonly input: string;
  readonly bytes: string;
}

async function readNote(path: string): Promise<Note> {
  return JSON.parse(await readFile(path, 'utf8'));
}

describe('what only ffmpeg decodes', () => {
  it.each([
    ['aac.m4a', 'mp4', 'mov'],
    ['alac.m4a', 'mp4', 'mov'],
    ['ac-3.mp4', 'mp4', 'mov'],
    ['aac.aac', 'aac', 'aac'],
    ['aac.mka', 'webm', 'matroska'],
  ])('%s is handed over to it as a file', async (name, format, demuxer) => {
    const wav = join(folder, 'output.wav');
    await writeFile(
      wav,
      writeWav(chirp(48_000), { format: 3, bits: 32, sampleRateHz: 48_000, dataLength: 0xffff_ffff }),
    );
    const { path, note } = await fakeFfmpeg(
      'decode',
      `process.stdout.write(readFileSync(${JSON.stringify(wav)}));`,
    );
    const file = await readFile(mediaPath(name));

    const fromPath = await readAll({ path: mediaPath(name) }, { ffmpegPath: path });
    expect(fromPath.format).toBe(format);
    expect(fromPath.samples.length).toBe(19_200);
    expect(correlation(chirp(16_000), fromPath.samples)).toBeGreaterThan(0.9999);
    const { call, input } = await readNote(note);
    expect(input).toBe(mediaPath(name));
    expect(call.join(' ')).toContain(
      `-protocol_whitelist file,pipe -f ${demuxer} -i file:${input} -map 0:a:0 -t 61 `,
    );

    const fromBytes = await readAll(file, { ffmpegPath: path });
    expect(fromBytes.samples).toEqual(fromPath.samples);
    const copy = await readNote(note);
    expect(copy.bytes).toBe(file.toString('base64'));
    expect(copy.input).not.toBe(input);
    await expect(access(copy.input)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['amr', '#!AMR\n'],
    ['caf', 'caff\0\x01\0\0'],
    ['au', '.snd\0\0\0\x18'],
  ])('a file of another kind is handed over as %s', async (demuxer, head) => {
    const wav = join(folder, 'other.wav');
    await writeFile(wav, writeWav(chirp(16_000), { format: 3, bits: 32 }));
    const { path, note } = await fakeFfmpeg(
      'decode-other',
      `process.stdout.write(readFileSync(${JSON.stringify(wav)}));`,
    );
    const { format, samples } = await readAll(Buffer.from(head, 'latin1'), { ffmpegPath: path });
    expect(format).toBeUndefined();
    expect(correlation(chirp(16_000), samples)).toBeGreaterThan(0.9999);
    expect((await readNote(note)).call.join(' ')).toContain(` -f ${demuxer} -i file:`);
  });

  it.each([
    ['aac.m4a', 'AAC audio in an MP4 file needs the optional package node-webcodecs or an ffmpeg program'],
    ['aac.aac', 'AAC audio needs the optional package node-webcodecs or an ffmpeg program'],
    ['alac.m4a', 'ALAC audio in an MP4 file needs an ffmpeg program'],
    ['ac-3.mp4', 'AC-3 audio in an MP4 file needs an ffmpeg program'],
  ])(
    '%s is refused without it, saying what is missing, and where to operators alone',
    async (name, reason) => {
      const opening = openAudio(
        { path: mediaPath(name) },
        { maxSeconds: 60, ffmpegPath: '/nonexistent/ffmpeg' },
      );
      await expect(opening).rejects.toMatchObject({
        code: 'invalid_request',
        param: 'file',
        message: `file: ${reason} to be decoded, which this service lacks; send another format, such as by ffmpeg -i FILE FILE.wav.`,
        cause: { message: "/nonexistent/ffmpeg can't be started" },
      });
    },
  );

  it('is refused where ffmpeg decodes nothing, or something else than WAV', async () => {
    const { path: failing } = await fakeFfmpeg('fail', 'process.exit(1);');
    const source = { path: mediaPath('aac.m4a') };
    await expect(openAudio(source, { maxSeconds: 60, ffmpegPath: failing })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('a file without any audio in it'),
    });
    const { path: chatting } = await fakeFfmpeg('chat', `process.stdout.write('-'.repeat(10_000));`);
    await expect(openAudio(source, { maxSeconds: 60, ffmpegPath: chatting })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is refused where it turns out to be too long, and ffmpeg is stopped', async () => {
    const wav = writeWav(new Float32Array(16_000), { format: 3, bits: 32, dataLength: 0 });
    const endless = `
      process.stdout.write(Buffer.from('${Buffer.from(wav).toString('base64')}', 'base64'));
      const more = () => process.stdout.write(Buffer.alloc(64_000), more);
      more();`;
    const { path, note } = await fakeFfmpeg('endless', endless);
    const reading = readAll({ path: mediaPath('aac.m4a') }, { ffmpegPath: path });
    await expect(reading).rejects.toThrow('expected at most 60 seconds');
    await expectToEnd((await readNote(note)).id);
  });

  it('ends with `cancelled` when the signal is aborted, and ffmpeg is stopped', async () => {
    const { path, note } = await fakeFfmpeg('stuck', 'setInterval(() => {}, 1000);');
    const controller = new AbortController();
    const opening = openAudio(await readFile(mediaPath('aac.m4a')), {
      maxSeconds: 60,
      ffmpegPath: path,
      signal: controller.signal,
    });
    await vi.waitFor(() => access(note));
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    const { id, input } = await readNote(note);
    await expectToEnd(id);
    await expect(access(input)).rejects.toThrow('ENOENT');
  });
});

async function expectToEnd(id: number): Promise<void> {
  await vi.waitFor(() => {
    expect(() => process.kill(id, 0)).toThrow('ESRCH');
  });
}
