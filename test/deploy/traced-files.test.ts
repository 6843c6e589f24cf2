import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';

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

describe(
  'a service that a framework copies into one folder',
  { ...needs(registry), timeout: 600_000 },
  () => {
    let folder: string;
    const tarballs: string[] = [];
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'slashv1-traced-'));
      for (const source of [root, join(root, 'examples/models')]) {
        const pack = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
        const [{ filename }] = JSON.parse((await run('npm', pack, { cwd: source })).stdout) as [
          { filename: string },
        ];
        tarballs.push(join(folder, filename));
      }
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each(Object.entries(frameworks))(
      '%s: the copy answers with a model that a worker runs',
      async (name, { packages, files, build, output, server }) => {
        const app = join(folder, name.slice(0, 4));
        for (const [path, content] of Object.entries({ ...files, 'package.json': '{ "type": "module" }' })) {
          mkdirSync(dirname(join(app, path)), { recursive: true });
          writeFileSync(join(app, path), content);
        }
        const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' };
        const options = { cwd: app, env: environment, maxBuffer: 2 ** 26 };
        const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
        await run('npm', ['install', ...quiet, ...packages, ...tarballs], options);
        await run('npx', ['--no-install', ...build], options);
        const copy = join(folder, `${name.slice(0, 4)}-copy`);
        cpSync(join(app, output), copy, { recursive: true, verbatimSymlinks: true });
        rmSync(app, { recursive: true });
        await expect(ask(join(copy, server))).resolves.toEqual([200, 'assistant']);
      },
    );
  },
);

/** Starts a server, asks it once and ends it. */
async function ask(program: string): Promise<[status: number, role: string]> {
  const port = await freePort();
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
        await new Promise((resolve) => setTimeout(resolve, 100));
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
