import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolveHubSettings } from '../../../src/models/hub/settings.ts';

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

it.runIf(process.platform === 'linux')('keeps models where caches belong', () => {
  expect(resolveHubSettings({}, { XDG_CACHE_HOME: '/xdg' }).cacheFolder).toBe('/xdg/slashv1');
  expect(resolveHubSettings({}, {}).cacheFolder).toBe(join(homedir(), '.cache', 'slashv1'));
});

it.each(['hub', 'ftp://hub.test', ''])('refuses the endpoint %j', (endpoint) => {
  expect(() => resolveHubSettings({ endpoint }, {})).toThrow(/^hub\.endpoint: expected an http or https URL/);
});

it('refuses a token that no header can hold, and does not show it', () => {
  expect(() => resolveHubSettings({ token: 'hf\nx' }, {})).toThrow(
    /^hub\.token: expected printable ASCII characters$/,
  );
});
