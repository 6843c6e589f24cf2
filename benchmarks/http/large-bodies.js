// How long a large JSON body holds the event loop of the host at a stretch: `npm run build && node benchmarks/http/large-bodies.js [BODY]`,
// where a single body shows its first request in a new process. The client is a process of its own. A timer fires every millisecond; the longest
// pause between two of its calls counts, on the clock and in processor time, which other work on the machine doesn't lengthen. The model is a fake.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createHandler } from 'slashv1';
import { toNodeListener } from 'slashv1/node';
import { createFakeInference } from 'slashv1/testing';
import { renderTable } from '../../dist/src/cli/format.js';
import { machine, median } from '../measure.js';

const bytes = 16e6;
/** @param {string} piece @param {string} start @param {string} end */
const fill = (piece, start, end) => start + piece.repeat(Math.floor(bytes / piece.length) - 1) + end;
const message = '{"role":"user","content":"hi"}';
const part = '{"type":"text","text":"hi"}';
const messageOfPart = `{"role":"user","content":[${part}]}`;
/** @type {Record<string, [path: string, body: string]>} */
const bodies = {
  'one long text': [
    'chat/completions',
    fill('abcdefgh', '{"model":"fake-chat","messages":[{"role":"user","content":"', '"}]}'),
  ],
  'a text of escapes': [
    'chat/completions',
    fill('\\"ab', '{"model":"fake-chat","messages":[{"role":"user","content":"', '"}]}'),
  ],
  'a text that is not ASCII': [
    'chat/completions',
    fill('é€', '{"model":"fake-chat","messages":[{"role":"user","content":"', '"}]}').slice(0, 5.5e6) +
      '"}]}',
  ],
  'lists in lists': [
    'chat/completions',
    `{"model":"fake-chat","messages":[${message}],"metadata":${'['.repeat(8e6)}${']'.repeat(8e6 - 100)}}`,
  ],
  '30,000 members': [
    'chat/completions',
    `{"model":"fake-chat","messages":[${message}],"metadata":{${Array.from({ length: 30_000 }, (_, at) => `"k${at}":1`).join(',')}}}`,
  ],
  messages: ['chat/completions', fill(`${message},`, '{"model":"fake-chat","messages":[', `${message}]}`)],
  logit_bias: [
    'chat/completions',
    fill('"50":1,', `{"model":"fake-chat","messages":[${message}],"logit_bias":{`, '"51":1}}'),
  ],
  'token ids': ['embeddings', fill('12,', '{"model":"fake-embed","input":[', '12]}')],
  '500,000 token ids': ['embeddings', `{"model":"fake-embed","input":[${'12,'.repeat(499_999)}12]}`],
  '16,000 messages': [
    'chat/completions',
    `{"model":"fake-chat","messages":[${`${message},`.repeat(15_999)}${message}]}`,
  ],
  '8,000 messages of a part': [
    'chat/completions',
    `{"model":"fake-chat","messages":[${`${messageOfPart},`.repeat(7999)}${messageOfPart}]}`,
  ],
  '16,000 parts': [
    'chat/completions',
    `{"model":"fake-chat","messages":[{"role":"user","content":[${`${part},`.repeat(15_999)}${part}]}]}`,
  ],
  '16,000 items of a response': [
    'responses',
    `{"model":"fake-chat","input":[${`${message},`.repeat(15_999)}${message}]}`,
  ],
  'no JSON': ['chat/completions', fill('[', '', '')],
};

/** @param {number} port @param {string} path @param {Buffer} body @returns {Promise<number>} status */
function post(port, path, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sent = request(
      { port, host: '127.0.0.1', path: `/v1/${path}`, method: 'POST', headers, agent: false },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    // A refused upload is cut off.
    sent.on('socket', (socket) => socket.on('error', () => {}));
    sent.on('error', (error) =>
      'code' in error && /EPIPE|ECONNRESET/.test(String(error.code)) ? resolve(413) : reject(error),
    );
    sent.end(body);
  });
}

/** Posts the body whose name it is sent. */
function serveClient() {
  process.on('message', async (/** @type {{ name: string, port: number }} */ { name, port }) => {
    const [path, text] = bodies[name] ?? ['', ''];
    process.send?.(await post(port, path, Buffer.from(text)).catch(String));
  });
}

async function measure() {
  const models = ['fake-chat', { id: 'fake-embed', category: 'embedding' }];
  const inference = createFakeInference({ models: /** @type {any} */ (models), reply: 'ok' });
  const server = createServer(
    toNodeListener(createHandler(inference, { auth: { keys: ['k'] }, maxBodyBytes: 2 * bytes })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const client = fork(fileURLToPath(import.meta.url), ['client']);
  console.log(machine());
  const rows = [];
  const chosen = process.argv[2];
  for (const [name, [, text]] of Object.entries(bodies)) {
    if (chosen !== undefined && name !== chosen) continue;
    const pauses = [];
    let first = 0;
    let status = 0;
    for (let round = 0; round < 11; round++) {
      let longest = 0;
      let last = performance.now();
      let processor = process.cpuUsage();
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
        const { user, system } = process.cpuUsage(processor);
        processor = process.cpuUsage();
        if (round === 0) first = Math.max(first, (user + system) / 1000);
      }, 1);
      client.send({ name, port });
      [status] = await once(client, 'message');
      clearInterval(timer);
      if (round > 0) pauses.push(longest);
    }
    rows.push([
      name,
      (Buffer.byteLength(text) / 1e6).toFixed(1),
      String(status),
      median(pauses).toFixed(1),
      Math.max(...pauses).toFixed(1),
      first.toFixed(1),
    ]);
  }
  const columns = [
    'body',
    ...['MB', 'status', 'longest pause, median ms', 'max ms', 'first, processor ms'].map((right) => ({
      right,
    })),
  ];
  console.log(renderTable(columns, rows, (text) => text));
  client.disconnect();
  server.close();
  server.closeAllConnections();
}

if (process.argv[2] === 'client') serveClient();
else await measure();
