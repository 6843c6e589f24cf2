import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import type { CorsOptions } from '../../src/server/cors.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, expectError, key, send } from './support.ts';

const page = 'https://app.example';
const serve = (cors?: CorsOptions) =>
  createHandler(createFakeInference({ models: ['fake-chat'] }), { auth: { keys: [key] }, cors });
const ask = (cors: CorsOptions | undefined, headers: Record<string, string>, url = '/v1/chat/completions') =>
  send(serve(cors), {
    method: 'OPTIONS',
    url,
    headers: { authorization: undefined as never, 'access-control-request-method': 'POST', ...headers },
  });
const corsOf = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'),
  );

describe('a preflight', () => {
  it.each<[string, CorsOptions, Record<string, string>, object]>([
    [
      'of a page that is known, without a key',
      { origins: [page] },
      { origin: page, 'access-control-request-headers': 'authorization, x-stainless-os' },
      {
        vary: 'origin',
        'access-control-allow-origin': page,
        'access-control-expose-headers': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, x-stainless-os',
        'access-control-max-age': '7200',
      },
    ],
    [
      'of any page',
      { origins: '*', headers: ['authorization', 'content-type'], maxAgeSeconds: 60 },
      { origin: 'null', 'access-control-request-headers': 'x-other' },
      {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '60',
      },
    ],
    ['of another page', { origins: [page] }, { origin: `${page}.evil` }, { vary: 'origin' }],
    [
      'of the same host by another scheme',
      { origins: [page] },
      { origin: 'http://app.example' },
      { vary: 'origin' },
    ],
    ['of no page', { origins: [page] }, {}, { vary: 'origin' }],
  ])('%s', async (_name, cors, headers, expected) => {
    const answer = await ask(cors, headers);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(corsOf(answer.headers)).toEqual(expected);
  });

  it('repeats no name that is none', async () => {
    const wanted = {
      origin: page,
      'access-control-request-headers': 'authorization,, a b, x-é,content-type',
    };
    const { headers } = await ask({ origins: [page] }, wanted);
    expect(headers['access-control-allow-headers']).toBe('authorization, content-type');
  });

  it.each([
    ['/v1/models', 'GET, HEAD'],
    ['/v1/nothing', 'GET, HEAD, POST'],
  ])('of %s allows %s', async (url, allow) => {
    const { status, headers } = await ask({ origins: '*' }, { origin: page }, url);
    expect([status, headers['access-control-allow-methods']]).toEqual([204, allow]);
  });

  it('is no request without the setting, nor is OPTIONS without what is asked', async () => {
    expectError(await ask(undefined, { origin: page }), 405, 'method_not_allowed');
    const plain = await send(serve({ origins: '*' }), { method: 'OPTIONS', headers: { origin: page } });
    expectError(plain, 405, 'method_not_allowed');
  });
});

describe('an answer', () => {
  const allowed = {
    vary: 'origin',
    'access-control-allow-origin': page,
    'access-control-expose-headers': '*',
  };

  it.each<[string, object, number]>([
    ['with text', { json: chatBody() }, 200],
    ['as a stream', { json: chatBody({ stream: true }) }, 200],
    ['about a fault', { json: {} }, 400],
    ['without a key', { json: chatBody(), headers: { authorization: '' } }, 401],
    ['at no path', { url: '/v1/nothing', json: {} }, 404],
    ['by the wrong method', { url: '/v1/models', json: {} }, 405],
  ])('%s may be read by the page', async (_name, sent, status) => {
    const { headers = {} } = sent as { headers?: object };
    const answer = await send(serve({ origins: [page] }), { ...sent, headers: { origin: page, ...headers } });
    expect([answer.status, corsOf(answer.headers)]).toEqual([status, allowed]);
  });

  it.each([
    [undefined, page, {}],
    [{ origins: [page] }, 'https://other.example', { vary: 'origin' }],
    [{ origins: [page] }, undefined, { vary: 'origin' }],
    [{ origins: '*' } as const, undefined, {}],
  ])('with %j for %s', async (cors, origin, expected) => {
    const headers = origin === undefined ? {} : { origin };
    expect(corsOf((await send(serve(cors), { json: chatBody(), headers })).headers)).toEqual(expected);
  });
});

describe('options', () => {
  it.each<[object, string]>([
    [{}, 'cors.origins: expected "*" or a list of origins'],
    [{ origins: page }, 'cors.origins: expected "*" or a list of origins'],
    [{ origins: [] }, 'cors.origins: expected "*" or origins such as "https://app.example", got none'],
    [{ origins: ['*'] }, 'cors.origins: '],
    [{ origins: [`${page}/`] }, 'cors.origins: '],
    [{ origins: [`${page}:443`] }, 'cors.origins: '],
    [{ origins: ['https://App.example'] }, 'cors.origins: '],
    [{ origins: ['app.example'] }, 'cors.origins: '],
    [{ origins: ['null'] }, 'cors.origins: '],
    [{ origins: '*', headers: ['a b'] }, 'cors.headers: expected names of headers, got "a b"'],
    [{ origins: '*', headers: ['a\r\nb: c'] }, 'cors.headers: '],
    [{ origins: '*', maxAgeSeconds: -1 }, 'cors.maxAgeSeconds: '],
    [{ origins: '*', maxAgeSeconds: 1.5 }, 'cors.maxAgeSeconds: '],
    [{ origins: '*', header: [] }, 'cors: there is no setting header. Did you mean headers?'],
  ])('%j is refused', (cors, message) => {
    expect(() => serve(cors as never)).toThrow(message);
  });

  it.each(['https://app.example:8443', 'http://localhost:3000', 'chrome-extension://abcdef', 'app://-'])(
    'takes %s',
    (origin) => {
      expect(() => serve({ origins: [origin] })).not.toThrow();
    },
  );
});
