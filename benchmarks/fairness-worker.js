// A worker that writes down what it does, for `fairness.js`: each run of a graph, and each stretch in which nothing else had a turn,
// with its processor time, to the file FAIRNESS_LOG with the name of its model behind it.
import { appendFileSync } from 'node:fs';
import '../dist/src/worker.js';
import { RunQueue } from '../dist/src/runtime/native/run-queue.js';

const intervalMs = 5;
/** @type {(readonly [kind: 'run' | 'stretch' | 'sample', from: number, to: number, cpuMs: number])[]} */
const log = [];
let model = '';
process.on('message', (/** @type {{ type: string, spec?: { id: string } }} */ { spec }) => {
  if (spec) model = spec.id;
});

const now = () => performance.timeOrigin + performance.now();
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @type {WeakMap<RunQueue, readonly [number, number]>} */
const begun = new WeakMap();
const { enter, leave } = RunQueue.prototype;
RunQueue.prototype.enter = async function () {
  await enter.call(this);
  begun.set(this, [now(), cpu()]);
};
RunQueue.prototype.leave = function () {
  const [from, before] = begun.get(this) ?? [now(), cpu()];
  log.push(['run', from, now(), cpu() - before]);
  leave.call(this);
};

let [last, lastCpu] = [now(), cpu()];
setInterval(() => {
  const [at, used] = [now(), cpu()];
  if (at - last > 2 * intervalMs) log.push(['stretch', last, at, used - lastCpu]);
  log.push(['sample', at, at, used]);
  [last, lastCpu] = [at, used];
}, intervalMs).unref();
setInterval(() => {
  const lines = log.splice(0).map((entry) => `${JSON.stringify(entry)}\n`);
  appendFileSync(`${process.env['FAIRNESS_LOG']}${model}`, lines.join(''));
}, 100).unref();
