import { setTimeout as pause } from 'node:timers/promises';
import type { Inference } from '../../../dist/src/index.js';

const mostMs = 10_000;
/** Long enough that an engine which goes on is seen: the token that ends an answer isn't drawn. */
const longRequest = {
  model: 'chat',
  messages: [{ role: 'user', content: 'Describe a scene.' }],
  maxTokens: 1500,
  logitBias: new Map([[2, -100]]),
} as const;

/** @returns figures; throws where an engine goes on with an answer that its reader has left */
export async function cancel(far: Inference, running: () => Promise<number>): Promise<string> {
  const controller = new AbortController();
  let atOnce = 0;
  try {
    for await (const { type } of far.chat(longRequest, { signal: controller.signal })) {
      if (type !== 'text-delta') continue;
      atOnce = await running();
      controller.abort();
    }
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  }
  if (atOnce !== 1) throw new Error(`${atOnce} requests run while one is answered`);
  const leftAt = performance.now();
  while ((await running()) > 0) {
    if (performance.now() - leftAt > mostMs) throw new Error(`it goes on for more than ${mostMs} ms`);
    await pause(10);
  }
  return 'ends';
}
