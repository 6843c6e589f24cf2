import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

// What a bundle can't hold: native code, and packages that are loaded where they are installed.
const external = [
  'onnxruntime-node',
  'sharp',
  'koffi',
  'node-webcodecs',
  '@huggingface/transformers',
  'node-llama-cpp',
  'piper-phonemize',
  '@opentelemetry/api',
  'prom-client',
];

const service = `
import { createServer } from 'node:http';
import { chat, createHandler, createInference } from 'slashv1';
import { toNodeListener } from 'slashv1/node';

const models = { assistant: chat({ source: process.env.MODEL }) };
const inference = createInference({ models, isolation: process.env.ISOLATION });
const handler = createHandler(inference, { auth: { keys: ['sk-one'] } });
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const answer = await fetch('http://127.0.0.1:' + server.address().port + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer sk-one', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(answer.status, (await answer.json()).choices[0].message.role);
server.close();
await inference.close();
`;

describe('a bundle of a service', { timeout: 120_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-bundle-'));
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source/service.js'), service);
    writeFileSync(join(folder, 'source/package.json'), '{ "type": "module" }');
    link('source/node_modules', ['slashv1', ...external]);
    await build({
      root: join(folder, 'source'),
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true, external },
      build: { ssr: 'service.js', outDir: '../out/bundle', target: 'node20' },
    });
    writeFileSync(join(folder, 'out/package.json'), '{ "type": "module" }');
    // Where the bundle runs, with and without the package.
    link('out/with/node_modules', ['slashv1', ...external]);
    link('out/without/node_modules', external);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  function link(place: string, names: readonly string[]): void {
    for (const name of names) {
      const [target, path] = [join(root, 'node_modules', name), join(folder, place, name)];
      const source = name === 'slashv1' ? root : target;
      if (!existsSync(source)) continue;
      mkdirSync(join(path, '..'), { recursive: true });
      symlinkSync(source, path);
    }
  }

  function start(place: string, isolation: string) {
    const cwd = join(folder, 'out', place);
    cpSync(join(folder, 'out/bundle'), cwd, { recursive: true });
    const env = { ...process.env, MODEL: join(root, 'examples/models/tiny-chat'), ISOLATION: isolation };
    return run(process.execPath, ['service.js'], {
      cwd,
      env,
    });
  }

  it.each(['process', 'inline'])('answers with the package beside it, isolation: %s', async (isolation) => {
    expect((await start('with', isolation)).stdout).toBe('200 assistant\n');
  });

  it('says what to do where its package is missing', async () => {
    await expect(start('without', 'process')).rejects.toThrow(
      /keep the package in node_modules next to the bundle, or set isolation: 'inline'/,
    );
  });
});
