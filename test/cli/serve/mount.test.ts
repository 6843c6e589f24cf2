import { expect, it } from 'vitest';
import { mount } from '../../../src/cli/serve/serve-command.ts';
import type { ApiRequest, Handler } from '../../../src/index.ts';

const named =
  (body: string): Handler =>
  async () => ({ status: 200, headers: {}, body });
const request = (url: string): ApiRequest => ({
  method: 'GET',
  url,
  headers: {},
  body: { parsed: undefined },
  signal: new AbortController().signal,
});

it.each([
  ['/v1', 'api'],
  ['/v1/models?x=1', 'api'],
  ['/v1?x', 'api'],
  ['/v10', 'page'],
  ['/health', 'health'],
  ['/healthy', 'page'],
  ['/', 'page'],
  ['', 'page'],
])('%j goes to %s', async (url, expected) => {
  const places = ['/', '/v1', '/health'].map((path, index) => ({
    path,
    handler: named(['page', 'api', 'health'][index]!),
  }));
  expect(await mount(places, named('none'))(request(url))).toMatchObject({ body: expected });
});

it('answers otherwise where nothing fits', async () => {
  const handler = mount([{ path: '/v1', handler: named('api') }], named('none'));
  expect(await handler(request('/v2'))).toMatchObject({ body: 'none' });
});
