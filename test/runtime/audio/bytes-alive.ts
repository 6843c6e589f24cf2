import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How many bytes buffers and the memories of decoders hold that are still in use. */
export async function bytesAlive(): Promise<number> {
  // What was collected is given back on another thread.
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await setTimeout(5);
  }
  return process.memoryUsage().external;
}
