import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createHandler, createInference, embedding } from '../../dist/src/index.js';
import { locateModel } from '../../src/folder/source.ts';
import { send } from '../server/support.ts';
import { readFolder, startHub, type HubServer } from './hub-server.ts';

const run = promisify(execFile);
const source = 'tiny/embed';

let hub: HubServer;
let cacheFolder: string;
beforeAll(async () => {
  hub = await startHub();
  hub.models.set(source, readFolder(locateModel('tiny-embed')));
  cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-processes-'));
});
afterAll(async () => {
  await hub.close();
  await rm(cacheFolder, { recursive: true, force: true });
});

it('two processes at once download every file once', async () => {
  const request = { source, category: 'embedding', hub: { endpoint: hub.endpoint, cacheFolder } };
  const script = new URL('obtain-in-process.js', import.meta.url).pathname;
  const obtain = () => run(process.execPath, [script, JSON.stringify(request)]);
  const [first, second] = await Promise.all([obtain(), obtain()]);
  expect(first.stdout).toBe(second.stdout);
  const paths = hub.downloads().map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(0);
  expect(new Set(paths).size).toBe(paths.length);
});

it('a worker process downloads what its model needs', async () => {
  const at = { endpoint: hub.endpoint, cacheFolder: join(cacheFolder, 'other') };
  const inference = createInference({
    models: {
      remote: embedding({ source, hub: at }),
      bundled: embedding({ source: 'tiny-embed' }),
    },
  });
  try {
    await inference.ready();
    const [remote, bundled] = await Promise.all(
      ['remote', 'bundled'].map((model) => inference.embed({ model, input: 'a red circle' })),
    );
    expect(remote).toEqual(bundled);
  } finally {
    await inference.close();
  }
});

it('an operator sees how far the download of a worker is', async () => {
  const at = { endpoint: hub.endpoint, cacheFolder: join(cacheFolder, 'seen') };
  const inference = createInference({
    models: { remote: embedding({ source, hub: at, loadOnDemand: true }) },
  });
  const handler = createHandler(inference, {
    auth: { keys: [{ key: 'test-key', plan: 'operator' }] },
    plans: { operator: { controlsModels: true } },
  });
  const look = async () => (await send(handler, { url: '/v1/models/remote' })).json;
  hub.fault = ({ server }) => (server === 'storage' ? { stalls: true } : undefined);
  try {
    expect(await look()).not.toHaveProperty('progress');
    const load = send(handler, { method: 'POST', url: '/v1/models/remote/load' });
    const { state, progress } = await vi.waitFor(async () => {
      const seen = await look();
      expect(seen.progress).toBeDefined();
      return seen;
    }, 20_000);
    expect([state, progress.phase]).toEqual(['loading', 'downloading']);
    const sizes = [...hub.models.get(source)!.values()].map(({ length }) => length);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    expect(progress.total_bytes).toBeGreaterThan(1000);
    expect(progress.total_bytes).toBeLessThanOrEqual(all);
    expect(progress.received_bytes).toBeLessThan(progress.total_bytes);
    await inference.close();
    expect((await load).status).toBe(503);
    expect(await look()).not.toHaveProperty('progress');
  } finally {
    hub.fault = () => undefined;
    await inference.close();
  }
}, 30_000);

it('a model that is not to be had says so through its worker', async () => {
  const inference = createInference({
    models: { none: embedding({ source: 'tiny/none', hub: { endpoint: hub.endpoint, cacheFolder } }) },
  });
  try {
    await expect(inference.ready()).rejects.toMatchObject({
      param: 'source',
      message: expect.stringMatching(/"none" could not be loaded: source: there is no model "tiny\/none" on/),
    });
  } finally {
    await inference.close();
  }
});
