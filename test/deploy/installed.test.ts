import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { freePorts } from './topology.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const registry = await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000']).then(
  () => undefined,
  () => 'the npm registry',
);

const route = `
import { chat, createHandler, createInference } from 'slashv1';
import { toFetch } from 'slashv1/fetch';

const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat', loadOnDemand: true }) } });
export const answer = toFetch(createHandler(inference, { auth: { keys: ['sk-one'] } }));
`;

/** Frameworks that copy what a service needs into one folder, by tracing its imports. */
const frameworks = {
  'Next, output standalone': {
    packages: ['next@16.4', 'react@19', 'react-dom@19'],
    files: {
      'app/v1/[...path]/route.js': `${route}export { answer as GET, answer as POST };`,
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
      'next.config.js': `export default {
        output: 'standalone',
        serverExternalPackages: ['slashv1', 'onnxruntime-node'],
        outputFileTracingIncludes: { '/v1/**': ['node_modules/@slashv1/tiny-models/**'] },
      };`,
    },
    build: ['next', 'build'],
    output: '.next/standalone',
    server: 'server.js',
  },
  Nitro: {
    packages: ['nitropack@2.13'],
    files: {
      'server/routes/v1/[...path].js': `${route}export default defineEventHandler((event) => answer(toWebRequest(event)));`,
      'nitro.config.js': "export default { srcDir: 'server', compatibilityDate: '2026-01-01' };",
    },
    build: ['nitropack', 'build'],
    output: '.output',
    server: 'server/index.mjs',
  },
};

const jestTest = `
test('a service answers', async () => {
  const load = process.env.LOAD === 'require' ? require : (name) => import(name);
  const { createHandler } = await load('slashv1');
  const { createFakeInference } = await load('slashv1/testing');
  const { toFetch } = await load('slashv1/fetch');
  const inference = createFakeInference({ models: ['assistant'], reply: 'Hello' });
  const answer = toFetch(createHandler(inference, { auth: { keys: ['sk-one'] } }));
  const response = await answer(new Request('http://localhost/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-one', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content: 'Hi' }] }),
  }));
  expect((await response.json()).choices[0].message.content).toBe('Hello');
});`;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Jest leaves `require` of ES modules to Node where it can. */
const jestRequires = major > 24 || (major === 24 && minor >= 9);

describe('the packed files', { ...needs(registry), timeout: 600_000 }, () => {
  let folder: string;
  const tarballs: string[] = [];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' };
  const within = (app: string) => ({ cwd: app, env: environment, maxBuffer: 2 ** 26 });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-packed-'));
    for (const source of [root, join(root, 'examples/models')]) {
      const pack = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
      const { stdout } = await run('npm', pack, { cwd: source });
      const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
      tarballs.push(join(folder, filename));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Writes the files of an app and installs its packages. */
  async function makeApp(name: string, files: object, packages: readonly string[]): Promise<string> {
    const app = join(folder, name);
    for (const [path, content] of Object.entries(files) as [string, string][]) {
      mkdirSync(dirname(join(app, path)), { recursive: true });
      writeFileSync(join(app, path), content);
    }
    await run('npm', ['install', ...quiet, ...packages], within(app));
    return app;
  }

  it('install again from the lock file of an install', async () => {
    const app = await makeApp('lock', { 'package.json': '{ "private": true }' }, tarballs);
    await run('npm', ['ci', ...quiet], within(app));
    const load = ['--input-type=module', '-e', "await import('slashv1')"];
    await expect(run(process.execPath, load, within(app))).resolves.toEqual({ stdout: '', stderr: '' });
  });

  it.each(['import', ...(jestRequires ? ['require'] : [])])('serve a test of Jest, by %s', async (load) => {
    const files = { 'package.json': '{ "private": true }', 'service.test.js': jestTest };
    const app = await makeApp(`jest-${load}`, files, ['jest@30', ...tarballs]);
    const flags = { ...environment, NODE_OPTIONS: '--experimental-vm-modules', LOAD: load };
    const { stderr } = await run('npx', ['--no-install', 'jest'], { cwd: app, env: flags });
    expect(stderr).toContain('1 passed');
  });

  it.each(Object.entries(frameworks))(
    'run a model from what %s copies into one folder',
    async (name, { packages, files, build, output, server }) => {
      const manifest = { 'package.json': '{ "type": "module", "private": true }' };
      const app = await makeApp(name.slice(0, 4), { ...files, ...manifest }, [...packages, ...tarballs]);
      await run('npx', ['--no-install', ...build], within(app));
      const copy = join(folder, `${name.slice(0, 4)}-copy`);
      cpSync(join(app, output), copy, { recursive: true, verbatimSymlinks: true });
      rmSync(app, { recursive: true });
      await expect(ask(join(copy, server))).resolves.toEqual([200, 'assistant']);
    },
  );
});

/** Starts a server, asks it once and ends it. */
async function ask(program: string): Promise<[status: number, role: string]> {
  const [port = 0] = await freePorts(1);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    HOST: '127.0.0.1',
    HOSTNAME: '127.0.0.1',
  };
  const child = spawn(process.execPath, [program], { cwd: dirname(program), env, stdio: 'inherit' });
  try {
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-one', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }),
      }).catch(() => undefined);
      if (!answer) {
        if (tries === 300) throw new Error(`${program} does not listen`);
        await sleep(100);
        continue;
      }
      const { choices } = (await answer.json()) as { choices?: [{ message: { role: string } }] };
      return [answer.status, choices?.[0].message.role ?? ''];
    }
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}
