import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../../src/cli/serve/serve-settings.ts';
import { readServeSettings } from '../../../src/cli/serve/serve-settings.ts';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { fakeTerminal } from '../fake-terminal.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-serve-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('CORS', () => {
  const settingsOf = async (values: Parameters<typeof readServeSettings>[0], config?: unknown) => {
    const path = config === undefined ? undefined : await file('cors.json', config);
    const given = { 'no-auth': true, ...(path === undefined ? {} : { config: path }), ...values };
    return (await readServeSettings(given, fakeTerminal())).handler.cors;
  };
  const page = 'https://app.example';

  it.each<[object, unknown, object | undefined]>([
    [{}, undefined, undefined],
    [{ 'cors-origin': [page] }, undefined, { origins: [page] }],
    [{ 'cors-origin': [page, '*'] }, undefined, { origins: '*' }],
    [
      { 'cors-origin': [page], 'cors-header': ['authorization'], 'cors-max-age': '10m' },
      undefined,
      { origins: [page], headers: ['authorization'], maxAgeSeconds: 600 },
    ],
    [{}, { cors: { origins: '*', maxAgeSeconds: 5 } }, { origins: '*', maxAgeSeconds: 5 }],
    [
      { 'cors-origin': [page] },
      { cors: { origins: '*', maxAgeSeconds: 5 } },
      { origins: [page], maxAgeSeconds: 5 },
    ],
    [{ 'cors-max-age': '1s' }, { cors: { origins: '*' } }, { origins: '*', maxAgeSeconds: 1 }],
  ])('of %j and %j is %j', async (values, config, expected) => {
    expect(await settingsOf(values, config)).toEqual(expected);
  });

  it.each([
    [{ 'cors-origin': ['app.example'] }, '--cors-origin: expected "*" or origins'],
    [{ 'cors-origin': [page], 'cors-header': ['a b'] }, '--cors-header: expected names of headers'],
    [{ 'cors-origin': [page], 'cors-max-age': '1500ms' }, '--cors-max-age: expected an integer'],
    [{ 'cors-origin': [page], 'cors-max-age': 'long' }, '--cors-max-age: expected a time'],
    [{ 'cors-header': ['authorization'] }, '--cors-origin: expected it beside'],
  ])('refuses %j', async (values, message) => {
    await expect(settingsOf(values)).rejects.toThrow(message);
  });
});

it('a config file gives every option of the handler', async () => {
  const config = {
    keepResponses: { maxCount: 3 },
    reasoningSecret: 'a secret of thirty-two characters',
    sockets: { count: 2 },
  };
  const path = await file('handler.json', config);
  const { handler } = await readServeSettings({ 'no-auth': true, config: path }, fakeTerminal());
  expect(handler).toMatchObject({ ...config, auth: 'none' });
});

it('the config file of the documentation is one', async () => {
  const page = await readFile(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');
  const [, example] = /```json\n(.*?)```/s.exec(page)!;
  const config = await readConfigFile(await file('documented.json', example!));
  expect(Object.keys(config.models!)).toEqual(['assistant', 'recognizer', 'big']);
});

describe('a config file with a mistake', () => {
  it.each([
    ['[', /^slashv1: --config: \S+ can't be read: .*JSON/],
    ['[]', /: expected an object, got an array\n/],
    [{ prot: 1 }, /: there is no setting prot\. Did you mean port\?\n/],
    [{ port: 'http' }, /: port: expected a number, got "http"\n/],
    [{ port: 70_000 }, /: port: .*65535/],
    [
      { models: { a: { source: 'b', dtipe: 'q4' } } },
      /: models\.a\.dtipe: A model has no such setting\. Did you mean dtype\?\n/,
    ],
    [{ models: { a: {} } }, /: models\.a\.source: expected a string, got nothing\.\n/],
    [
      { models: { a: { source: 'b', replicas: 0 } } },
      /: models\.a\.replicas: expected an integer from 1 to 256, got 0\.\n/,
    ],
    [{ auth: { keys: [1] } }, /: auth\.keys\[0\]: expected a key or \{ "key": … \}\n/],
    [{ auth: 'open' }, /: auth: expected "none", \{ "keys": \[\.\.\.\] \} or a function\n/],
    [{ auth: { keys: [] } }, /: auth: expected \{ keys: \[\.\.\.\] \} with at least one key/],
    [
      { auth: { keys: [{ key: 'a', plan: 'x' }] } },
      /: auth: expected the name of one of the plans, got "x"\n/,
    ],
    [
      { plans: { a: { quota: { requests: 0, perSeconds: 1 } } } },
      /: plans\.a\.quota\.requests: expected an integer of at least 1, got 0\n/,
    ],
    [{ maxBodyBytes: 0 }, /: maxBodyBytes: expected an integer from 1 to \d+, got 0\n/],
    [{ cors: { origins: ['app.example'] } }, /: cors\.origins: expected .*got "app\.example"\n/],
    [{ drainMs: -1 }, /: drainMs: expected a number from 0 to \d+, got -1\.\n/],
    [{ onError: 'log' }, /: onError: expected a function, from a \.js or \.mjs file, got "log"\n/],
    [
      { models: { 'a: b': { source: 'b', backend: { kind: 'openai', baseURL: 'x' } } } },
      /: models\.a: b\.backend\.baseURL: expected an http or https address, got "x"\.\n/,
    ],
    [
      { models: { a: { source: 'b', hub: { endpoint: 'x' } } } },
      /: models\.a\.hub\.endpoint: expected an http or https URL, got "x"\.\n/,
    ],
    [{ hub: { endpoint: 'x' } }, /: hub\.endpoint: expected an http or https URL, got "x"\.\n/],
  ])('%j', async (content, message) => {
    const config = await file('mistake.json', content);
    const { messages, ...terminal } = fakeTerminal();
    const code = await runCommandLine(['serve', '--config', config, '--port', '0'], {
      ...terminal,
      messages,
    });
    expect(messages.text).toMatch(message);
    expect(messages.text).toContain(config);
    expect(code).toBe(2);
  });
});
