// Runs one case: node plugin-cases.js CASE PROVIDER LIBRARY. A case that is not survived ends the process by a signal.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const runtime = new URL('../../../dist/src/runtime/', import.meta.url);
/** @param {string} file @returns {Promise<any>} */
const load = (file) => import(new URL(file, runtime).href);
const { usePlugins } = await load('choose-runtime.js');
const { createOnnxSession } = await load('onnx.js');
const { doublingModel } = await load('trial-run.js');

/** @type {string[]} */
const [name = '', provider = '', library = ''] = workerData ?? process.argv.slice(2);
/** @param {Record<string, string>} [options] */
const use = (options) => usePlugins([{ provider, library, ...(options && { options }) }]);
const open = async (model = doublingModel, device = provider) =>
  createOnnxSession(model, { device, threads: 2 });
/** @param {any} session @param {number} length @param {object} [options] */
const run = async (session, length, options) => {
  const data = Float32Array.from({ length }, (_, index) => index);
  const { y } = await session.run({ x: { type: 'float32', dims: [length], data } }, undefined, options);
  return [...y.data];
};
const megabytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20);

/** @type {Record<string, () => Promise<unknown>>} */
const cases = {
  async 'a session that is alive at the exit'() {
    await use();
    return run(await open(), 3);
  },
  async 'a second registration'() {
    await use();
    await use();
    const before = await run(await open(), 3);
    const refusal = await use({ device: 'other' }).catch((/** @type {Error} */ error) => error.message);
    return [before, refusal];
  },
  async 'two threads'() {
    await use();
    const mine = await run(await open(), 3);
    if (!isMainThread) return mine;
    const thread = new Worker(new URL(import.meta.url), { workerData: [name, provider, library] });
    const theirs = await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    await thread.terminate();
    return [mine, theirs, await run(await open(), 3)];
  },
  async 'runs of two sessions at once'() {
    await use();
    const sessions = [await open(), await open()];
    const runs = await Promise.all(Array.from({ length: 16 }, (_, index) => run(sessions[index % 2], 4096)));
    return runs.every((values) => values.every((value, index) => value === 2 * index));
  },
  async 'a cancelled run'() {
    await use();
    const session = await open();
    const controller = new AbortController();
    const running = run(session, 4_000_000, { signal: controller.signal }).then(
      () => 'done',
      (error) => error.message,
    );
    setImmediate(() => controller.abort(new Error('cancelled')));
    const outcome = await running;
    return ['done', 'cancelled'].includes(outcome) && (await run(session, 3));
  },
  async 'many shapes'() {
    const load_config = JSON.stringify({ CPU: { CPU_RUNTIME_CACHE_CAPACITY: '64' } });
    await use(provider === 'openvino' ? { load_config } : undefined);
    const session = await open();
    const rss = [];
    for (let round = 0; round < 600; round++) {
      await run(session, 8 + ((round * 37) % 500));
      rss.push(megabytes());
    }
    return Math.min(...rss.slice(500)) - Math.min(...rss.slice(100, 200));
  },
  async 'a number too large'() {
    await use();
    return open(doublingModel, `${provider}:7`).catch((/** @type {any} */ error) => [
      error.param,
      error.message,
    ]);
  },
};

const result = await /** @type {() => Promise<unknown>} */ (cases[name])();
if (isMainThread) process.stdout.write(JSON.stringify(result));
else parentPort?.postMessage(result);
