import { describe, expect, it } from 'vitest';
import { catalogue, chat, createHandler, createInference, InferenceError } from '../src/index.ts';
import { assertNodeVersion } from '../src/node-version.ts';
import { createFakeInference } from '../src/entries/testing.ts';

describe('createInference', () => {
  it.each([
    [undefined, 'models: expected an object of ids and models, got nothing'],
    [[], 'models: expected an object of ids and models, got an array'],
    [{ a: 'tiny-chat' }, 'models.a: expected one of image({…}), transcription({…})'],
    [{ a: undefined }, 'got nothing'],
    [
      { a: chat({ source: 'tiny-chat', dtyp: 'q4' } as never) },
      'models.a.dtyp: A model for chat has no such setting. Did you mean dtype?',
    ],
    [{ a: chat({ sorce: 'tiny-chat' } as never) }, 'models.a.source: expected a string, got nothing'],
    [{ a: chat({ source: '' }) }, 'models.a.source: expected the source of a model, got nothing'],
    [{ a: chat({ source: 'tiny-chat', device: 'gpu' as never }) }, 'models.a.device: expected "cpu" or'],
    [
      { a: chat({ source: 'tiny-chat', threads: '4' as never }) },
      'models.a.threads: expected an integer from 1 to 1024, got "4".',
    ],
    [
      {
        a: chat({
          source: 'x',
          backend: { kind: 'openai', baseURL: 'http://a', dialect: 'vllm', key: 'k' } as never,
        }),
      },
      'models.a.backend.key: The backend remote.openai({…}) has no such setting.',
    ],
  ])('refuses %o at once', (models, message) => {
    let thrown: unknown;
    try {
      createInference({ models: models as never });
    } catch (error) {
      thrown = error;
    }
    expect(InferenceError.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) });
  });
});

it('takes entries of the catalogue as they are', async () => {
  const models = {
    ears: { ...catalogue['whisper-medium'], hub: { offline: true, cacheFolder: '/nowhere' } },
  };
  const inference = createInference({ models, isolation: 'inline' });
  await expect(inference.ready()).rejects.toThrow('ears');
  await inference.close();
});

describe('createHandler', () => {
  it('asks for the option that is never left out', () => {
    const create = createHandler as (inference: unknown) => unknown;
    expect(() => create(createFakeInference())).toThrow(/^auth: expected \{ keys/);
  });

  it.each([undefined, ''])('names the key that is missing: %j', (missing) => {
    const auth = { keys: ['one', missing!] };
    expect(() => createHandler(createFakeInference(), { auth })).toThrow(
      'auth.keys[1]: the key is empty: is SLASHV1_API_KEY set?',
    );
  });
});

it.each([
  ['18.20.8', /^Needs Node ≥ 20\.9; this is Node 18\.20\.8\.$/],
  ['20.8.1', /Needs Node/],
  ['20.9.0', undefined],
  ['24.0.0', undefined],
])('Node %s', (version, message) => {
  const check = () => assertNodeVersion(version);
  if (message) expect(check).toThrow(message);
  else expect(check).not.toThrow();
});

it('refuses a warm-up without a worker', async () => {
  const model = chat({ source: 'tiny-chat', loadOnDemand: true, warmUp: true });
  const refused = expect.objectContaining({ code: 'invalid_request', param: 'models.a.warmUp' });
  expect(() => createInference({ models: { a: model }, isolation: 'inline' })).toThrow(refused);
  const inference = createInference({ models: {}, isolation: 'inline' });
  expect(() => inference.add('a', model)).toThrow(refused);
  await inference.close();
});
