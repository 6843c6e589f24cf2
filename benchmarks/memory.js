// Memory of host and worker over many requests, a fifth of which are left by their client.
// Usage: node --expose-gc benchmarks/memory.js [requests]
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { chat, createInference } from 'slashv1';
import { machine } from './measure.js';

const requests = Number(process.argv[2] ?? 10_000);
const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
await inference.ready();

/** Resident memory of this process's workers, in MB. */
function workerMegabytes() {
  const list = execFileSync('ps', ['-o', 'rss=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const worker = list.split('\n').find((line) => line.includes('worker.js')) ?? '0';
  return Math.round(Number.parseInt(worker, 10) / 1024);
}

/** @param {number} index */
async function one(index) {
  const leavesEarly = index % 5 === 0;
  const content = `What is ${index % 90} + ${(index * 7) % 90}?`;
  const events = inference.chat({
    model: 'tiny-chat',
    messages: [{ role: 'user', content }],
    maxTokens: leavesEarly ? 200 : 12,
    temperature: leavesEarly ? 2 : 0.7,
  });
  let count = 0;
  for await (const event of events) {
    void event;
    if (leavesEarly && ++count === 5) break;
  }
}

console.log(machine());
/** @type {Record<string, number>[]} */
const table = [];
let next = 0;
const step = Math.ceil(requests / 10);
for (let round = 0; round <= 10; round++) {
  const end = Math.min(requests, round * step);
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < end) await one(next++);
    }),
  );
  await sleep(200);
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const megabytes = (/** @type {number} */ bytes) => Math.round(bytes / 2 ** 20);
  table.push({
    requests: next,
    'host MB': megabytes(rss),
    'host heap MB': megabytes(heapUsed),
    'worker MB': workerMegabytes(),
  });
}
console.table(table);
await inference.close();
