import { rm } from 'node:fs/promises';
import * as files from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createInference } from '../../src/inference.ts';
import { needs, otherSystem } from '../needs.ts';

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof files>()),
  writeFile: vi.fn(),
}));

const root = resolve(import.meta.dirname, '../..');

describe('a service that runs out of', () => {
  it.each([
    ['room', 'ENOSPC', 507, 'insufficient_storage'],
    ['quota on the disk', 'EDQUOT', 507, 'insufficient_storage'],
    ['a folder that it may write to', 'EROFS', 507, 'insufficient_storage'],
    ['a folder at all', 'ENOENT', 507, 'insufficient_storage'],
    ['file descriptors', 'EMFILE', 503, 'overloaded'],
    ['file descriptors of the system', 'ENFILE', 503, 'overloaded'],
  ])('%s says so, when it is worth trying again, and no path', async (_, code, status, wireCode) => {
    const folder = mkdtempSync(join(tmpdir(), 'slashv1-full-'));
    const failure = Object.assign(new Error(`${code}: no more, write '${folder}'`), { code });
    vi.mocked(files.writeFile).mockRejectedValue(failure);
    const inference = createInference({ models: { m: { source: 'tiny-whisper' } }, isolation: 'inline' });
    const handler = createHandler(inference, { auth: 'none', uploadDirectory: folder, onError: () => {} });
    const form = new Response(
      Object.entries({ model: 'm', file: new File(['RIFF'], 'a.wav') }).reduce((all, [name, value]) => {
        all.append(name, value);
        return all;
      }, new FormData()),
    );
    const answer = await handler({
      method: 'POST',
      url: '/v1/audio/transcriptions',
      headers: { 'content-type': form.headers.get('content-type')! },
      body: form.body as unknown as AsyncIterable<Uint8Array>,
      signal: new AbortController().signal,
    });
    expect(answer).toMatchObject({ status, headers: { 'retry-after': '10' } });
    expect(JSON.parse(String(answer.body))).toMatchObject({ error: { code: wireCode, param: null } });
    expect(String(answer.body)).not.toContain(folder);
    expect(readdirSync(folder)).toEqual([]);
    await inference.close();
    await rm(folder, { recursive: true });
  });
});

it(
  'ffmpeg that can’t be started for want of file descriptors: overloaded, not internal, and it passes',
  { ...needs(otherSystem('linux', 'darwin')), timeout: 120_000 },
  () => {
    const script = `
      import { closeSync, openSync } from 'node:fs';
      const from = (path) => import(new URL(path, ${JSON.stringify(pathToFileURL(`${root}/dist/src/`).href)}));
      const { createFfmpegEncoder } = await from('runtime/audio-encode/ffmpeg.js');
      const { createEncoderFinder } = await from('runtime/audio-encode/encoders.js');
      const { decodeWithFfmpeg } = await from('runtime/audio/ffmpeg.js');
      const { InferenceError } = await from('errors.js');
      const encoder = createFfmpegEncoder('true', 'mp3');
      const read = async (pieces) => { for await (const piece of pieces); };
      const attempts = {
        find: () => createEncoderFinder({ ffmpegPath: 'false', packages: [] })('mp3'),
        encode: () => read(encoder.encode([], { sampleRateHz: 8000 })),
        decode: () => read(decodeWithFfmpeg({ path: '/dev/null', size: 0 }, { ffmpegPath: 'false', demuxer: 'aac', name: 'AAC', maxSeconds: 1 })),
      };
      const attempt = async () => {
        for (const [name, start] of Object.entries(attempts)) {
          const { code, retryAfterSeconds } = await start().then(() => ({ code: 'fine' }), InferenceError.from);
          console.log(name, code, retryAfterSeconds ?? '');
        }
      };
      await attempt();
      console.log('exhausted');
      const files = [];
      try { for (;;) files.push(openSync('/dev/null')); } catch {}
      await attempt();
      for (const file of files) closeSync(file);
      console.log('again');
      await attempt();`;
    const args = ['-c', 'ulimit -n 200; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval'];
    const { stdout, stderr } = spawnSync('sh', [...args, script], { encoding: 'utf8' });
    const usual = ['find invalid_request ', 'encode fine ', 'decode fine '];
    const exhausted = ['find overloaded 10', 'encode overloaded 10', 'decode overloaded 10'];
    expect(
      `${stdout}${stderr}`
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual([...usual, 'exhausted', ...exhausted, 'again', ...usual].map((line) => line.trimEnd()));
  },
);

it('broken AAC prints nothing on the error output of the host', { timeout: 120_000 }, () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { createInference } from ${JSON.stringify(join(root, 'dist/src/index.js'))};
    const inference = createInference({ models: { m: { source: 'tiny-whisper' } } });
    const whole = readFileSync(${JSON.stringify(join(root, 'test/runtime/audio/media/aac.aac'))});
    for (let seed = 1; seed < 4; seed++) {
      const audio = new Uint8Array(whole);
      for (let at = 60; at < audio.length - 600; at += 11 * seed + (at % 7)) audio[at] ^= (at * seed * 31) & 255;
      try { for await (const event of inference.transcribe({ model: 'm', audio })); } catch {}
    }
    console.error('the end');
    await inference.close();`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  expect(stderr.toString()).toBe('the end\n');
});
