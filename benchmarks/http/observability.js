// What observers cost: `npm run build && node benchmarks/http/observability.js`. The model is a fake that answers at once,
// so that a request is as short as it can be; the logger writes to /dev/null, the spans are thrown away.
import { compareServers } from './requests-per-second.js';

await compareServers([
  'observed by nobody',
  'observed by a logger',
  'observed by metrics',
  'observed by telemetry without an SDK',
  'observed by telemetry',
  'observed by all',
]);
