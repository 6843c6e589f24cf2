import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackMiniature } from '../backends/transformers/unpack-miniature.ts';
import { needs, otherSystem } from '../needs.ts';
import { root } from './code-blocks.ts';

// What `npm pack` makes, unpacked into projects that have the dependencies of the manifest and no others.
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-packed-'));
  await Promise.all([unpack(root, 'package'), unpack(join(root, 'examples/models'), 'models')]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

async function unpack(source: string, target: string): Promise<void> {
  const path = join(folder, target);
  mkdirSync(path);
  const pack = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', path];
  const { stdout } = await run('npm', pack, { cwd: source });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', join(path, basename(filename)), '--strip-components=1'], { cwd: path });
  await rm(join(path, basename(filename)));
}

function project(name: string, peers: readonly string[]): string {
  const path = join(folder, name);
  const modules = join(path, 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(join(folder, 'package'), join(modules, 'slashv1'), { recursive: true });
  for (const dependency of [...Object.keys(manifest.dependencies), ...peers]) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    const isModels = dependency === '@slashv1/tiny-models';
    symlinkSync(
      isModels ? join(folder, 'models') : join(root, 'node_modules', dependency),
      join(modules, dependency),
    );
  }
  return path;
}

async function output(path: string, code: string): Promise<string> {
  writeFileSync(join(path, 'script.mjs'), code);
  const { stdout } = await run(process.execPath, ['script.mjs'], { cwd: path });
  return stdout.trim();
}

/** Takes the right to write away from everybody, or gives it back to the owner. */
function setWritable(path: string, isWritable: boolean): void {
  chmodSync(path, isWritable ? 0o755 : 0o555);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) setWritable(child, isWritable);
    else if (entry.isFile()) chmodSync(child, isWritable ? 0o644 : 0o444);
  }
}

const askedOf = (listen: string, source: string): string => `
import { chat, createHandler, createInference } from 'slashv1';
const inference = createInference({ models: { assistant: chat({ source: ${JSON.stringify(source)} }) } });
const handler = createHandler(inference, { auth: { keys: ['sk-one'] } });
${listen}
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

describe('the packed package', { timeout: 120_000 }, () => {
  it('answers in Express, with the bundled models', async () => {
    const path = project('with-peers', ['express', '@slashv1/tiny-models']);
    const listen = `
      const { default: express } = await import('express');
      const { toExpress } = await import('slashv1/express');
      const server = express().use('/v1', toExpress(handler)).listen(0, '127.0.0.1');`;
    expect(await output(path, askedOf(listen, 'tiny-chat'))).toBe('200 assistant');
  });

  it('answers without any optional package, from a folder', async () => {
    const path = project('without-peers', []);
    const listen = `
      const { createServer } = await import('node:http');
      const { toNodeListener } = await import('slashv1/node');
      const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');`;
    const source = join(root, 'examples/models/tiny-chat');
    expect(await output(path, askedOf(listen, source))).toBe('200 assistant');
  });

  it(
    'answers from a folder that nobody may write',
    needs(otherSystem('linux', 'darwin')),
    async ({ skip }) => {
      const path = project('read-only', []);
      const code = `
      import { accessSync, constants } from 'node:fs';
      try { accessSync('.', constants.W_OK); console.log('writable'); } catch { console.log('read-only'); }
      ${askedOf(
        `
      const { createServer } = await import('node:http');
      const { toNodeListener } = await import('slashv1/node');
      const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');`,
        join(root, 'examples/models/tiny-chat'),
      )}`;
      writeFileSync(join(path, 'script.mjs'), code);
      chmodSync(folder, 0o755);
      setWritable(path, false);
      try {
        // Root may write everywhere, so it becomes somebody else.
        const user = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};
        const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
        const { stdout } = await run(process.execPath, ['script.mjs'], { cwd: path, env, ...user });
        expect(stdout).toBe('read-only\n200 assistant\n');
      } catch (error) {
        if (/EACCES|permission denied/i.test(String(error)))
          skip('another user may not reach Node or this checkout');
        throw error;
      } finally {
        setWritable(path, true);
      }
    },
  );

  it('takes native files and models from beside an archive of Electron', async () => {
    // A folder in the archive's place, without what a packager leaves out of it: only Electron reads real archives.
    const path = project('app.asar', ['koffi']);
    const unpacked = join(folder, 'app.asar.unpacked/node_modules');
    for (const [name, source] of [
      ['onnxruntime-node', join(root, 'node_modules/onnxruntime-node')],
      ['@slashv1/tiny-models', join(folder, 'models')],
    ] as const) {
      const inside = join(path, 'node_modules', name);
      rmSync(inside, { force: true });
      mkdirSync(inside, { recursive: true });
      cpSync(join(source, 'package.json'), join(inside, 'package.json'));
      mkdirSync(dirname(join(unpacked, name)), { recursive: true });
      symlinkSync(source, join(unpacked, name));
    }
    cpSync(join(root, 'examples/models/tiny-chat'), join(folder, 'app.asar.unpacked/own'), {
      recursive: true,
    });
    const listen = `
      const { createServer } = await import('node:http');
      const { toNodeListener } = await import('slashv1/node');
      const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');`;
    expect(await output(path, askedOf(listen, 'tiny-chat'))).toBe('200 assistant');
    expect(await output(path, askedOf(listen, join(path, 'own')))).toBe('200 assistant');
  });

  it('finds every bundled model', async () => {
    const path = project('with-models', ['@slashv1/tiny-models']);
    const code = `
      import * as slashv1 from 'slashv1';
      const { chat, detection, embedding, image, rerank, speech, transcription } = slashv1;
      const models = {
        a: chat({ source: 'tiny-chat' }), b: detection({ source: 'tiny-detect' }), c: embedding({ source: 'tiny-embed' }),
        d: image({ source: 'tiny-image' }), e: speech({ source: 'tiny-speech' }), f: transcription({ source: 'tiny-whisper' }),
        g: rerank({ source: 'tiny-rerank' }), h: chat({ source: 'tiny-vision' }),
      };
      const inference = slashv1.createInference({ models, isolation: 'inline' });
      await inference.ready();
      console.log(inference.status().map(({ state }) => state).join());
      await inference.close();`;
    expect(await output(path, code)).toBe(Array(8).fill('ready').join());
  });

  it('does not grow by the backend transformers(), which says what is missing', async () => {
    const path = project('without-transformers', []);
    const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect(installed.filter((name) => name.startsWith('@huggingface/'))).toEqual([]);
    const code = `
      import { chat, createInference } from 'slashv1';
      import { transformers } from 'slashv1/transformers';
      const assistant = chat({ source: ${JSON.stringify(unpackMiniature('gpt2'))}, backend: transformers() });
      const inference = createInference({ models: { assistant } });
      console.log(await inference.ready().catch((error) => error.message));
      await inference.close();`;
    expect(await output(path, code)).toContain('npm install @huggingface/transformers');
  });

  it('runs a model by the backend transformers() in a worker, where its package is installed', async () => {
    const path = project('with-transformers', ['@huggingface/transformers']);
    const code = `
      import { chat, createInference } from 'slashv1';
      import { transformers } from 'slashv1/transformers';
      const assistant = chat({ source: ${JSON.stringify(unpackMiniature('gpt2'))}, backend: transformers() });
      const inference = createInference({ models: { assistant } });
      const messages = [{ role: 'user', content: 'Hello' }];
      const types = new Set();
      for await (const { type } of inference.chat({ model: 'assistant', messages, maxTokens: 4, temperature: 0 })) types.add(type);
      console.log([...types].sort().join());
      await inference.close();`;
    expect(await output(path, code)).toContain('choice-end,prompt-end,prompt-start,text-delta,usage');
  });

  it('says which package is missing', async () => {
    const path = project('missing-peers', []);
    const code = `
      import { chat, createInference } from 'slashv1';
      const inference = createInference({ models: { assistant: chat({ source: 'tiny-chat' }) } });
      console.log(await inference.ready().catch((error) => error.message));
      await inference.close();`;
    expect(await output(path, code)).toContain('npm install @slashv1/tiny-models');
  });

  it('runs GGUF files only with the package that it names', async () => {
    const path = project('without-llama', []);
    writeFileSync(join(path, 'model.gguf'), '');
    const code = `
      import { chat, createInference } from 'slashv1';
      import { llama } from 'slashv1/llama';
      try {
        llama({ gpuLayers: 0 });
      } catch (error) {
        console.log(error.code, error.message);
      }
      const inference = createInference({ models: { a: chat({ source: './model.gguf' }) } });
      console.log(await inference.ready().catch((error) => error.message));
      await inference.close();`;
    const lines = (await output(path, code)).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^invalid_request backend: .* npm install node-llama-cpp@\d/);
    expect(lines[1]).toMatch(/^Model "a" could not be loaded: .* npm install node-llama-cpp@\d/);
  });

  it('is a provider of the AI SDK with nothing but the package of its own', async () => {
    const path = project('with-ai-sdk', ['@ai-sdk/provider', '@ai-sdk/openai-compatible']);
    const code = `
      import { createSlashv1 } from 'slashv1/ai-sdk';
      import { createFakeInference } from 'slashv1/testing';
      const model = createSlashv1(createFakeInference({ reply: 'Hi' }))('fake-chat');
      const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
      console.log((await model.doGenerate({ prompt })).content[0].text);`;
    expect(await output(path, code)).toBe('Hi');
  });

  it('installs nothing of llama.cpp by itself', () => {
    const { dependencies, optionalDependencies, peerDependenciesMeta } = manifest;
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(names.filter((name) => name.includes('llama'))).toEqual([]);
    expect(peerDependenciesMeta['node-llama-cpp']).toEqual({ optional: true });
  });
});
