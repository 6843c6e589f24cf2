import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImageSource } from '../../src/runtime/image-source.ts';

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((_request, response) => response.end('content'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const bytes = Buffer.of(0xfb, 0xff, 0xfe, 0);
const invalid = { code: 'invalid_request', param: 'image' };

describe('readImageSource', () => {
  it.each([
    ['base64', '+//+AA=='],
    ['base64 without padding', '+//+AA'],
    ['base64url', '-__-AA'],
    ['base64 on several lines', '+//+\r\nAA=='],
    ['a data: URL', 'data:image/png;base64,+//+AA=='],
    ['a data: URL without a type', 'data:;base64,+//+AA=='],
    ['a data: URL in capitals', 'DATA:image/png;charset=utf-8;BASE64,+//+AA=='],
  ])('reads %s', async (_title, image) => {
    expect(Buffer.from(await readImageSource(image))).toEqual(bytes);
  });

  it('reads a URL where it may', async () => {
    const fetch = { allowPrivateNetworks: true };
    expect(Buffer.from(await readImageSource(`${origin}/a.png`, { fetch })).toString()).toBe('content');
    expect(Buffer.from(await readImageSource(origin.replace('http', 'HTTP'), { fetch })).toString()).toBe(
      'content',
    );
  });

  it('refuses a URL where it may not, saying why', async () => {
    const refused = readImageSource(origin);
    await expect(refused).rejects.toMatchObject(invalid);
    await expect(refused).rejects.toThrow(
      'image: the URL was not fetched: its address is not public or gave no answer.',
    );
  });

  it.each([
    '',
    '====',
    'a',
    'not base64!',
    'a=b=',
    'data:image/svg+xml,<svg/>',
    'data:image/png;base64',
    'data:image/png;base64,',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'javascript:alert(1)',
    '/etc/passwd.',
    '../../../pipelines/bus.jpg',
    'ünïcode',
  ])('refuses %j', async (image) => {
    await expect(readImageSource(image)).rejects.toMatchObject(invalid);
  });
});
