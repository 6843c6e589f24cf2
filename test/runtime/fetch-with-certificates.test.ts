import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { fetchWith, type HttpRequest } from '../../src/runtime/http/fetch-with-certificates.ts';
import { readBytes, readText } from '../../src/runtime/http/answer-body.ts';
import { reasonOfFetch } from '../../src/runtime/http/fetch-failures.ts';

const pem = (name: string): string => readFileSync(new URL(`certificates/${name}`, import.meta.url), 'utf8');
const ca = pem('authority.pem');
const client = { ca, cert: pem('client.pem'), key: pem('client.key') };

let origin: string;
let connections: Set<Socket>;

/** Answers with what it was sent and by whom, and asks for a certificate. */
beforeEach(async () => {
  connections = new Set();
  const settings = {
    cert: pem('server.pem'),
    key: pem('server.key'),
    ca,
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer(settings, async (request, response) => {
    const socket = request.socket as TLSSocket;
    connections.add(socket);
    if (request.url === '/away') {
      response.writeHead(302, { location: '/' }).end();
      return;
    }
    if (request.url === '/endless') {
      response.write('x');
      return;
    }
    const { method, headers } = request;
    const who = socket.authorized ? socket.getPeerCertificate().subject.CN : 'nobody';
    response.setHeader('set-cookie', ['a=1', 'b=2']).writeHead(201);
    response.end(JSON.stringify({ method, headers, who, body: await text(request) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
});

async function ask(certificates: Parameters<typeof fetchWith>[0], path = '/', init: HttpRequest = {}) {
  const response = await fetchWith(certificates)(origin + path, init);
  return {
    response,
    json: JSON.parse(await readText(response, { maxBytes: 1e5 })) as Record<string, unknown>,
  };
}

it('trusts the given authority, which Node alone does not', async () => {
  await expect(ask(undefined)).rejects.toThrow('fetch failed');
  const { response, json } = await ask({ ca });
  expect([response.status, json['who'], json['method']]).toEqual([201, 'nobody', 'GET']);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

it('shows a certificate of its own', async () => {
  expect((await ask(client)).json['who']).toBe('client');
});

it('says why there is no trust', async () => {
  const failure = await fetchWith({ ca: pem('client.pem') })(origin, {}).catch((error: unknown) => error);
  expect(reasonOfFetch(failure)).toMatch(
    /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)$/,
  );
});

it.each([
  ['text', '{"a":1}', '7'],
  ['bytes', new Uint8Array([123, 125]), '2'],
  ['a stream', ReadableStream.from([Buffer.from('one '), Buffer.from('two')]), undefined],
])('sends %s, with its length where it is known', async (_kind, body, length) => {
  const { json } = await ask(client, '/', { method: 'POST', body: body as never, headers: { 'x-a': 'b' } });
  const headers = json['headers'] as Record<string, string>;
  expect([headers['content-length'], headers['x-a'], json['method']]).toEqual([length, 'b', 'POST']);
  expect(json['body']).toBe(typeof body === 'string' ? body : body instanceof Uint8Array ? '{}' : 'one two');
});

it('keeps its connection', async () => {
  for (let call = 0; call < 3; call++) await ask(client);
  expect(connections.size).toBe(1);
});

it('refuses redirects', async () => {
  await expect(ask(client, '/away')).rejects.toThrow('fetch failed');
});

it('ends when its signal aborts, before and during the answer', async () => {
  const controller = new AbortController();
  const response = await fetchWith(client)(`${origin}/endless`, { signal: controller.signal });
  const reading = (async () => {
    for await (const bytes of readBytes(response, { signal: controller.signal })) {
      expect(Buffer.from(bytes).toString()).toBe('x');
      controller.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  await expect(fetchWith(client)(origin, { signal: controller.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

it('gives up a connection that does not come about', async () => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const failure = await fetchWith(undefined, 50)(`https://127.0.0.1:${port}`, {}).catch(
    (error: unknown) => error,
  );
  expect(reasonOfFetch(failure)).toBe('ETIMEDOUT');
});

it('goes over node:http too, where connecting has a limit', async () => {
  const server = createHttpServer((request, response) => void request.pipe(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const send = fetchWith(undefined, 1000);
  expect(send).not.toBe(fetch);
  const response = await send(`http://127.0.0.1:${port}`, { method: 'POST', body: 'hello' });
  expect(await readText(response, { maxBytes: 100 })).toBe('hello');
  expect(await readText(await send(`http://127.0.0.1:${port}`, {}), { maxBytes: 100 })).toBe('');
});
