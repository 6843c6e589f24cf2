import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

/** Processor time of one turn of the event loop. 30 ms are usual; the rest is for a busy machine and an older Node, which counts more. */
const mostMs = 100;
const agent = '/v1/realtime?model=agent';

let host: ChildProcess;
let port: number;
/** The sockets of a test may be a while in closing, when it is over for its client. */
let nextKey = 0;

beforeAll(async () => {
  host = fork(fileURLToPath(new URL('socket-host.js', import.meta.url)));
  [port] = (await once(host, 'message')) as [number];
  // What is loaded and compiled with the first messages is none of theirs.
  const { socket, closed } = await open();
  socket.write(times(32, wrong));
  socket.write(frame('close'));
  await closed;
});
afterAll(() => host.disconnect());

const opened: Socket[] = [];
afterEach(() => opened.splice(0).forEach((socket) => socket.destroy()));

async function longestTurnMs(): Promise<number> {
  host.send('?');
  const [ms] = (await once(host, 'message')) as [number];
  return ms;
}

const opcode = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame whose mask changes nothing. */
function frame(kind: keyof typeof opcode, text = '', isLast = true): Buffer {
  const length = Buffer.alloc(text.length < 126 ? 1 : 3, 128 | Math.min(text.length, 126));
  if (length.length > 1) length.writeUInt16BE(text.length, 1);
  const first = Buffer.from([opcode[kind] | (isLast ? 128 : 0)]);
  return Buffer.concat([first, length, Buffer.alloc(4), Buffer.from(text)]);
}
const message = (value: object | string): Buffer =>
  frame('text', typeof value === 'string' ? value : JSON.stringify(value));
const times = (count: number, piece: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => piece));
const flood = (piece: Buffer, bytes = 2e6): Buffer => times(Math.ceil(bytes / piece.length), piece);

/** A client by hand, which sends what no library would. @param first comes with the request */
async function open({ path = '/v1/realtime', key = 'attacker', first = Buffer.of() as Buffer } = {}) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  opened.push(socket);
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += text));
  const head = `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), first]));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const count = (text: string): number => received.split(text).length - 1;
  await vi.waitFor(() => expect(count('session.created')).toBe(1), 60_000);
  return { socket, closed, count, received: () => received };
}

/** Fragments of one message. */
const fragments = (text: string): Buffer =>
  Buffer.concat([frame('text', '[', false), flood(frame('more', text, false), 5e5)]);

const cleared = 'input_audio_buffer.cleared';
const clear = message({ type: 'input_audio_buffer.clear' });
const wrong = message({ type: 'x' });
const create = 'conversation.item.create';
const say = { type: create, item: { type: 'message', role: 'user', content: [{ type: 'text', text: 'a' }] } };
const updateVoice = message({ type: 'session.update', session: { type: 'realtime' } });
const respond = { type: 'response.create', response: { conversation: 'none', output_modalities: ['text'] } };

/** The socket's messages are answered. */
async function answers({ socket, count }: Awaited<ReturnType<typeof open>>, messages: number): Promise<void> {
  for (let answered = 1; answered <= messages; answered++) {
    socket.write(clear);
    await expect.poll(() => count(cleared)).toBe(answered);
  }
}

describe('a client that floods its socket holds the event loop for a slice at a time, and no others', () => {
  it.each<[string, Buffer, { path?: string; sockets?: number }?]>([
    ['2 MB of messages of one byte', flood(message('x'))],
    ['2 MB of empty objects', flood(message({}))],
    ['2 MB of empty messages', flood(message(''))],
    ['2 MB of empty binary messages', flood(frame('binary'))],
    ['2 MB of messages of three frames', flood(ofThreeFrames('{', '}'))],
    ['500 kB of empty pings, 16 times', flood(frame('ping'), 5e5), { sockets: 16 }],
    ['500 kB of empty pongs, 16 times', flood(frame('pong'), 5e5), { sockets: 16 }],
    ['500 kB of fragments of one byte, 16 times', fragments(' '), { sockets: 16 }],
    ['500 kB of empty fragments, 16 times', fragments(''), { sockets: 16 }],
    ['20,000 wrong messages', times(20_000, wrong)],
    ['3000 wrong messages between right ones', times(3000, Buffer.concat([clear, wrong]))],
    ['20,000 right messages', times(20_000, clear)],
    ['2000 right messages, 16 times', times(2000, clear), { sockets: 16 }],
    ['5000 updates of a voice session', times(5000, updateVoice), { path: agent }],
    [
      '3000 items of a conversation',
      times(3000, Buffer.concat([message(say), updateVoice])),
      { path: agent },
    ],
    ['2000 answers', times(2000, message(respond)), { path: agent }],
  ])('%s', async (_name, bytes, { path, sockets = 1 } = {}) => {
    const key = `attacker-${nextKey++}`;
    const attackers = await Promise.all(Array.from({ length: sockets }, () => open({ path, key })));
    const other = await open({ key: 'other' });
    await longestTurnMs();
    for (const { socket } of attackers) socket.write(Buffer.concat([bytes, frame('close')]));
    await answers(other, 3);
    await Promise.all(attackers.map(({ closed }) => closed));
    expect(await longestTurnMs()).toBeLessThan(mostMs);
  });

  it('messages of another key are answered between those of 16 sockets', async () => {
    const attackers = await Promise.all(Array.from({ length: 16 }, () => open()));
    const other = await open({ key: 'other' });
    const messages = 20_000;
    for (const { socket } of attackers) socket.write(times(messages, clear));
    await answers(other, 5);
    const counts = attackers.map(({ count }) => count(cleared));
    expect(Math.max(...counts)).toBeLessThan(messages);
  });
});

it('32 wrong messages in a row close the socket, with a last event that tells why', async () => {
  const { socket, closed, count, received } = await open();
  socket.write(Buffer.concat([times(31, wrong), clear, times(33, wrong)]));
  await expect.poll(() => count('Too many invalid messages.')).toBe(1);
  // Of 31 and 32 messages, and the last event.
  expect(count('"type":"error"')).toBe(31 + 32 + 1);
  expect(received()).toContain('The last 32 messages were invalid.');
  expect(received()).toMatch(
    new RegExp(`${String.fromCharCode(1008 >> 8, 1008 & 255)}Too many invalid messages.$`),
  );
  socket.write(frame('close'));
  await closed;
});

it('reads what comes with the request for the socket', async () => {
  const { count } = await open({ first: times(3, clear) });
  await expect.poll(() => count(cleared)).toBe(3);
});

it('a message of many fragments, with pings between them, is one message', async () => {
  const { socket, count } = await open();
  const [first, ...rest] = [...'{"type":"input_audio_buffer.clear"}'];
  const pieces = rest.flatMap((one) => [frame('more', one, false), frame('ping'), frame('more', '', false)]);
  socket.write(Buffer.concat([frame('text', first, false), ...pieces, frame('more')]));
  await expect.poll(() => count(cleared)).toBe(1);
});

function ofThreeFrames(start: string, end: string): Buffer {
  return Buffer.concat([frame('text', start, false), frame('more', '', false), frame('more', end)]);
}
