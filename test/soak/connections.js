// Connections of one key that do nothing beside a client with another: `npm run build && node test/soak/connections.js [--connections 5000]`. Ends
// with 1 where a request wasn't answered. Needs as many open files twice over (`ulimit -n`); fewer connections are opened otherwise.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { send } from './client.js';

const { values } = parseArgs({ options: { connections: { type: 'string', default: '5000' } } });
const wanted = Number(values.connections);
if (!Number.isInteger(wanted) || wanted < 1)
  throw new RangeError(`--connections: expected an integer above 0, got ${values.connections}`);

const host = fork(
  join(import.meta.dirname, '../security/soak-host.js'),
  ['http://127.0.0.1:9', JSON.stringify({ auth: { keys: [{ key: 'client' }, { key: 'attacker' }] } })],
  { execArgv: ['--expose-gc'] },
);
/** @param {string} type @returns {Promise<any>} */
const told = (type) =>
  new Promise((resolve) => {
    const listen = (/** @type {{ type: string }} */ message) => {
      if (message.type !== type) return;
      host.off('message', listen);
      resolve(message);
    };
    host.on('message', listen);
  });
const { origin } = await told('ready');
const { port } = new URL(origin);

async function look(/** @type {string} */ when) {
  const answer = told('measure');
  host.send('measure');
  const { rssMiB, usualDelayMs } = await answer;
  console.log(`${when}: host ${rssMiB.toFixed(0)} MiB, event loop p99 ${usualDelayMs.toFixed(1)} ms`);
}

/** Nothing, half of a head, or half of a body. */
const beginnings = ['', 'POST /v1/embeddings HTTP/1.1\r\nhost: a\r\n'];
beginnings.push(
  `${beginnings[1]}authorization: Bearer attacker\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"model":`,
);
/** @type {import('node:net').Socket[]} */
const sockets = [];
let refused = 0;
await look('before');
for (let at = 0; at < wanted; at += 100) {
  const opened = Array.from({ length: Math.min(100, wanted - at) }, async (_, index) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    try {
      await once(socket, 'connect');
      socket.write(beginnings[index % beginnings.length] ?? '');
      sockets.push(socket);
    } catch {
      refused++;
    }
  });
  await Promise.all(opened);
}
await look(`${sockets.length} connections, ${refused} refused`);
const body = { model: 'tiny-embed', input: 'a red circle' };
const answers = await Promise.all(
  Array.from({ length: 20 }, () => send(`${origin}/v1/embeddings`, 'client', body)),
);
const answered = answers.filter((status) => status === 200).length;
console.log(
  `${answered} of ${answers.length} requests beside them were answered: ${[...new Set(answers)].join(', ')}`,
);
for (const socket of sockets) socket.destroy();
await look('after they have left');
host.send('close');
await once(host, 'exit');
process.exitCode = answered === answers.length ? 0 : 1;
