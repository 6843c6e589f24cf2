import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { resolveHubSettings } from '../../src/hub/remote-model.ts';

it('asks the public hub, without a token', () => {
  expect(resolveHubSettings({}, {})).toMatchObject({
    endpoint: 'https://huggingface.co',
    token: undefined,
    offline: false,
  });
});

it('takes what the environment says, and rather what it is given', () => {
  const environment = {
    HF_ENDPOINT: 'https://mirror.test/hub/',
    HF_TOKEN: ' hf_abc\n',
    SLASHV1_CACHE: '/cache',
    HF_HUB_OFFLINE: '1',
  };
  expect(resolveHubSettings({}, environment)).toEqual({
    endpoint: 'https://mirror.test/hub',
    token: 'hf_abc',
    cacheFolder: '/cache',
    offline: true,
  });
  const given = { endpoint: 'http://other.test', token: 'x', cacheFolder: '/own', offline: false };
  expect(resolveHubSettings(given, environment)).toEqual(given);
});

it.each([
  [{ SLASHV1_OFFLINE: 'TRUE' }, true],
  [{ HF_HUB_OFFLINE: 'yes' }, true],
  [{ SLASHV1_OFFLINE: '0' }, false],
  [{ HF_HUB_OFFLINE: '' }, false],
])('reads offline of %j', (environment, offline) => {
  expect(resolveHubSettings({}, environment).offline).toBe(offline);
});

it.each([
  [{}, join(homedir(), '.cache', 'huggingface', 'hub')],
  [{ XDG_CACHE_HOME: '/xdg' }, '/xdg/huggingface/hub'],
  [{ XDG_CACHE_HOME: '/xdg', HF_HOME: '~/hf' }, join(homedir(), 'hf', 'hub')],
  [{ HF_HOME: '$SCRATCH/${NAME}/$NONE', SCRATCH: '/scratch', NAME: 'hf' }, '/scratch/hf/$NONE/hub'],
  [{ HF_HOME: '/hf', HUGGINGFACE_HUB_CACHE: '/old' }, '/old'],
  [{ HF_HOME: '/hf', HUGGINGFACE_HUB_CACHE: '/old', HF_HUB_CACHE: '/hub' }, '/hub'],
  [{ HF_HUB_CACHE: '/hub', SLASHV1_CACHE: '/own' }, '/own'],
])('keeps models where the hub library for Python has them: %j', (environment, folder) => {
  expect(resolveHubSettings({}, environment).cacheFolder).toBe(resolve(folder));
});

it.each(['hub', 'ftp://hub.test', ''])('refuses the endpoint %j', (endpoint) => {
  expect(() => resolveHubSettings({ endpoint }, {})).toThrow(/^hub\.endpoint: expected an http or https URL/);
});

it('refuses a token that no header can hold, and does not show it', () => {
  expect(() => resolveHubSettings({ token: 'hf\nx' }, {})).toThrow(
    /^hub\.token: expected printable ASCII characters\.$/,
  );
});
