// Requests per second of bare servers and of the handler at every mount, side by side:
// `npm run build && node benchmarks/http/throughput.js`. The inference of the handler does no work; the bare servers
// read and answer the same JSON without it.
import { compareServers } from './requests-per-second.js';

await compareServers([
  'bare',
  'node',
  'bare in express',
  'express',
  'express after express.json()',
  'bare in fastify',
  'fastify',
]);
