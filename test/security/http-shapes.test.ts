import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../adapters/node.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';

async function serve() {
  const inference = createFakeInference({ models: ['fake-chat'], reply: 'Hi.' });
  const server = createServer(toNodeListener(createHandler(inference, { auth: { keys: ['k'] } })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Everything that comes back for these bytes, within half a second of silence. */
  const exchange = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setTimeout(500, () => socket.destroy());
      socket.on('data', (data) => (answer += data.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(answer));
    });
  return { inference, exchange };
}

const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] });
const head = (...lines: string[]): string =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    'host: x',
    'authorization: Bearer k',
    'content-type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');
const hidden = `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

it.each([
  ['two lengths', head(`content-length: ${body.length}`, 'content-length: 5') + body],
  [
    'length and chunks',
    head(`content-length: ${body.length}`, 'transfer-encoding: chunked') + chunk(body) + '0\r\n\r\n',
  ],
  ['a coding that is none', head('transfer-encoding: xchunked') + body + hidden],
  [
    'chunked, but not last',
    head('transfer-encoding: chunked, identity') + chunk(body) + '0\r\n\r\n' + hidden,
  ],
  ['a length with a sign', head(`content-length: +${body.length}`) + body],
  ['a folded header', head('transfer-encoding:\r\n chunked', `content-length: ${body.length}`) + body],
  ['a space before the colon', head('transfer-encoding : chunked', `content-length: ${body.length}`) + body],
  ['a chunk size that is none', head('transfer-encoding: chunked') + 'zz\r\n' + body + '\r\n0\r\n\r\n'],
  ['a chunk size beyond all numbers', head('transfer-encoding: chunked') + 'ffffffffffffffffff\r\n' + body],
])('a request of two meanings runs nothing: %s', async (_name, text) => {
  const { inference, exchange } = await serve();
  const answer = await exchange(text);
  expect(answer).toMatch(/^HTTP\/1\.1 [45]\d\d /);
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(inference.requestsOf('chat')).toEqual([]);
});

it('a request behind another one is a request of its own', async () => {
  const { inference, exchange } = await serve();
  const answer = await exchange(head(`content-length: ${body.length}`) + body + hidden);
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(inference.requestsOf('chat')).toHaveLength(1);
});
