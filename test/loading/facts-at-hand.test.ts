import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createInference, type InferenceOptions } from '../../src/inference.ts';
import { createHandler } from '../../src/create-handler.ts';
import { bundledModelNames } from '../../src/folder/bundled-models.ts';
import { locateModel } from '../../src/folder/source.ts';
import { readFolder, startHub } from '../hub/hub-server.ts';
import { send } from '../server/support.ts';
import { remote } from '../../src/index.ts';

// Models tell what can be had without loading them.
function open(models: InferenceOptions['models']) {
  const inference = createInference({ models, isolation: 'inline' });
  onTestFinished(() => inference.close());
  const handler = createHandler(inference, { auth: 'none' });
  const list = async (path = '') => (await send(handler, { url: `/v1/models${path}` })).json;
  return { inference, list };
}

describe('before it is loaded', () => {
  it.each(bundledModelNames)(
    '%s tells what it tells when it is loaded',
    { timeout: 60_000 },
    async (source) => {
      const { inference, list } = open({ a: { source, loadOnDemand: true } as never });
      await vi.waitFor(() => expect(inference.models()[0]!.created).toBeGreaterThan(0));
      const before = await list('/a');
      expect(before.state).toBe('unloaded');
      await inference.load('a');
      const after = await list('/a');
      // The graphs of a painter tell the length of its prompts, and a chat model's whether it takes
      // pictures. Its calls are derived from the template when it is loaded.
      const { context_length: length, input_modalities: _, tool_calls: _calls, ...told } = after;
      const known = source === 'tiny-image' ? {} : { context_length: length };
      expect(before).toEqual({ ...told, ...known, state: 'unloaded' });
      expect(before.owned_by).toBe('slashv1');
    },
  );

  it('a setting comes before its files', async () => {
    const { list } = open({ a: { source: 'tiny-chat', contextLength: 64, loadOnDemand: true } });
    expect((await list('/a')).context_length).toBe(64);
    expect((await list('/a/parameters')).parameters.max_tokens.max).toBe(64);
  });

  it('the parameters have the bounds of its context', async () => {
    const { inference, list } = open({ a: { source: 'tiny-chat', loadOnDemand: true } });
    await vi.waitFor(() => expect(inference.models()[0]!.contextLength).toBeGreaterThan(0));
    const before = await list('/a/parameters');
    await inference.load('a');
    expect(before.context_length).toBe(before.parameters.max_tokens.max);
    expect(before.context_length).toBe((await list('/a/parameters')).context_length);
  });

  it('a repository that is not here tells its owner and nothing that is not known; nothing is asked of the hub', async () => {
    const hub = await startHub();
    const cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-facts-'));
    onTestFinished(async () => {
      await hub.close();
      await rm(cacheFolder, { recursive: true, force: true });
    });
    hub.models.set('tiny/embed', readFolder(locateModel('tiny-embed')));
    const options = {
      source: 'tiny/embed',
      hub: { endpoint: hub.endpoint, cacheFolder },
      loadOnDemand: true,
    };
    const first = open({ a: options as never });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await first.list('/a')).toEqual({
      id: 'a',
      object: 'model',
      created: 0,
      owned_by: 'tiny',
      name: 'a',
      category: 'unknown',
      state: 'unloaded',
    });
    expect(hub.requests).toEqual([]);

    await first.inference.load('a');
    const loaded = await first.list('/a');
    expect(loaded).toMatchObject({ owned_by: 'tiny', category: 'embedding', context_length: 128 });
    hub.requests.length = 0;
    // Another process finds it in the cache.
    const second = open({ a: options as never });
    await vi.waitFor(async () => expect(await second.list('/a')).toEqual({ ...loaded, state: 'unloaded' }));
    expect(hub.requests).toEqual([]);
  });

  it('a name of the catalogue has an owner and a category', async () => {
    const cacheFolder = '/nowhere';
    const { list } = open({
      a: { source: 'smollm2-135m', hub: { cacheFolder }, loadOnDemand: true } as never,
    });
    expect(await list('/a')).toMatchObject({ owned_by: 'HuggingFaceTB', category: 'chat' });
  });

  it('a model of another server is remote, and its context is not known', async () => {
    const backend = remote.openai({ baseURL: 'http://127.0.0.1:1/v1' });
    const { list } = open({ a: { source: 'big', category: 'chat', backend, loadOnDemand: true } as never });
    const told = await list('/a');
    expect(told).toMatchObject({ owned_by: 'remote', category: 'chat' });
    expect(told).not.toHaveProperty('context_length');
    expect(await list('/a/parameters')).not.toHaveProperty('context_length');
  });

  it('a folder that is not there tells its settings', async () => {
    const { list } = open({ a: { source: '/nowhere/at/all', category: 'chat', loadOnDemand: true } });
    expect(await list('/a')).toMatchObject({ owned_by: 'slashv1', category: 'chat', created: 0 });
  });
});
