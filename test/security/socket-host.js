// A service with sockets in a process of its own, so that the processor time of its event loop is its own. Its models are fakes.
import { createServer } from 'node:http';
import { serveWebSockets, toNodeListener } from '../../dist/adapters/node.js';
import { createHandler, voice } from '../../dist/src/index.js';
import { createFakeInference } from '../../dist/src/testing/fake-inference.js';

const inference = createFakeInference({
  models: [{ id: 'ears', category: 'transcription' }, 'mind', { id: 'mouth', category: 'speech' }],
  voices: { agent: voice({ hears: 'ears', thinks: 'mind', speaks: 'mouth' }) },
});
const attackers = Array.from({ length: 20 }, (_, index) => `attacker-${index}`);
const handler = createHandler(inference, { auth: { keys: ['attacker', 'other', ...attackers] } });
const server = createServer(toNodeListener(handler));
serveWebSockets(server, handler);
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.(port);
});

/** @type {typeof process.cpuUsage} Without the threads of the garbage collector, where Node can tell. */
const usage = /** @type {any} */ (process).threadCpuUsage ?? process.cpuUsage;
let before = usage();
let longestMs = 0;
/** Once in each turn of the event loop. */
function measure() {
  const { user, system } = usage(before);
  before = usage();
  longestMs = Math.max(longestMs, (user + system) / 1000);
  setImmediate(measure);
}
measure();

// Asked for the longest turn since it was last asked.
process.on('message', () => {
  process.send?.(longestMs);
  longestMs = 0;
});
process.on('disconnect', () => process.exit());
