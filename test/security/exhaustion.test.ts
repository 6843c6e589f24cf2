import { rm } from 'node:fs/promises';
import * as files from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createInference } from '../../src/inference.ts';

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof files>()),
  writeFile: vi.fn(),
}));

const root = resolve(import.meta.dirname, '../..');

describe('a service that runs out of', () => {
  it.each([
    ['room', 'ENOSPC', 507, 'insufficient_storage'],
    ['quota on the disk', 'EDQUOT', 507, 'insufficient_storage'],
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

it('broken AAC prints nothing on the error output of the host', { timeout: 60_000 }, () => {
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
