import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { send } from './support.ts';

const plans = {
  operator: { controlsModels: true },
  'one-model': { controlsModels: true, models: ['b'] },
  user: {},
};
const keys = [...Object.keys(plans).map((plan) => ({ key: plan, plan })), { key: 'no-plan' }];

function open() {
  const inference = createFakeInference({ models: ['a', 'b'] });
  const handler = createHandler(inference, { auth: { keys }, plans });
  const ask = (key: string, path: string, method = 'POST') =>
    send(handler, { method, url: `/v1/models/${path}`, headers: { authorization: `Bearer ${key}` } });
  return { ask };
}

describe('loading and unloading over HTTP', () => {
  it('a key whose plan may unloads a model and loads it again', async () => {
    const { ask } = open();
    expect(await ask('operator', 'a/unload')).toMatchObject({
      status: 200,
      json: { id: 'a', object: 'model', state: 'unloaded' },
    });
    expect((await ask('user', 'a', 'GET')).json.state).toBe('unloaded');
    expect((await ask('operator', 'a/load')).json).toMatchObject({ id: 'a', state: 'ready' });
  });

  it.each([
    ['user', 'a/load'],
    ['user', 'a/unload'],
    ['no-plan', 'a/unload'],
    ['one-model', 'a/unload'],
  ])('the key %s gets 403 for %s, and nothing happens', async (key, path) => {
    const { ask } = open();
    expect(await ask(key, path)).toMatchObject({
      status: 403,
      json: { error: { code: 'upgrade_required' } },
    });
    expect((await ask('user', 'a', 'GET')).json.state).toBe('ready');
  });

  it('a key that may control one model controls it', async () => {
    expect((await open().ask('one-model', 'b/unload')).json).toMatchObject({ id: 'b', state: 'unloaded' });
  });

  it('tells nobody without the right which models there are', async () => {
    const { ask } = open();
    expect((await ask('operator', 'c/load')).json.error.code).toBe('model_not_found');
    expect((await ask('user', 'c/load')).json.error.code).toBe('upgrade_required');
  });

  it('is refused by a service that is open, and by an inference without the functions', async () => {
    const inference = createFakeInference({ models: ['a'] });
    const isOpen = createHandler(inference, { auth: 'none' });
    expect((await send(isOpen, { method: 'POST', url: '/v1/models/a/unload' })).status).toBe(403);
    const { load: _load, unload: _unload, ...own } = inference;
    const handler = createHandler(own, { auth: { keys }, plans });
    const headers = { authorization: 'Bearer operator' };
    expect(await send(handler, { method: 'POST', url: '/v1/models/a/unload', headers })).toMatchObject({
      status: 400,
      json: { error: { code: 'unsupported_feature', param: 'model' } },
    });
  });
});
