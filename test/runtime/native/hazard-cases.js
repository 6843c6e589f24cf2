// Runs one case: node --expose-gc hazard-cases.js CASE. A case that is not survived ends the process by a signal.
import { register } from 'node:module';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const runtime = new URL('../../../dist/src/runtime/', import.meta.url);
/** @param {string} file @returns {Promise<any>} */
const load = (file) => import(new URL(file, runtime).href);
/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const collect = async () => {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.();
    await wait(5);
  }
};
const fill = () => Array.from({ length: 200 }, () => new Float32Array(65_536).fill(NaN));
/** @param {string} name */
const model = (name) => Buffer.from(process.env[`MODEL_${name}`] ?? '', 'base64');
const endless = { type: 'int64', dims: [], data: BigInt64Array.of(2n ** 62n) };
/** @param {Iterable<number>} values */
const x = (values) => ({ type: 'float32', dims: [[...values].length], data: Float32Array.from(values) });

/** @param {string} name */
async function open(name) {
  const { createNativeSession } = await load('native/create-native-session.js');
  return createNativeSession(model(name), { threads: 2 });
}

/** Starts a run that does not end by itself. */
async function openRunning() {
  const session = await open('LOOPING');
  const running = session.run({ trips: endless, x: x([0]) });
  await wait(50);
  return { session, running };
}

/** @param {string} name @returns {Promise<{ thread: Worker, message: unknown }>} */
function inThread(name) {
  const thread = new Worker(new URL(import.meta.url), { workerData: name });
  return new Promise((resolve, reject) => {
    thread.once('message', (message) => resolve({ thread, message }));
    thread.once('error', reject);
  });
}

/** @type {Record<string, () => Promise<unknown>>} */
const cases = {
  async 'a collected library handle'() {
    // Before the first session: its threads would keep the library.
    const { loadApi } = await load('native/load-api.js');
    await loadApi();
    await collect();
    const session = await open('DOUBLING');
    const { y } = await session.run({ x: x([1, 2]) });
    return [...y.data];
  },
  async 'collected arrays under bound tensors'() {
    const session = await open('DOUBLING');
    const binding = session.createBinding();
    binding.bindInput('x', session.createTensor(x(new Float32Array(65_536).fill(3))));
    binding.allocateOutput('y');
    await collect();
    const junk = fill();
    await binding.run();
    return [...new Set(binding.output('y').read().data), junk.length];
  },
  async 'collected arrays under a run'() {
    const session = await open('LOOPING');
    const trips = { type: 'int64', dims: [], data: BigInt64Array.of(20_000n) };
    const running = session.run({ trips, x: x(new Float32Array(65_536).fill(1)) });
    await collect();
    const junk = fill();
    const { y } = await running;
    return [...new Set(y.data), junk.length];
  },
  async 'a collected model that is being loaded'() {
    const loading = open('DOUBLING');
    await collect();
    return [...(await (await loading).run({ x: x([4]) })).y.data];
  },
  async 'process.exit in a run'() {
    await openRunning();
    process.exit(0);
  },
  async 'an uncaught error in a run'() {
    await openRunning();
    setTimeout(() => {
      throw new Error('thrown');
    });
    await wait(10_000);
  },
  async 'sessions that are never released'() {
    const session = await open('DOUBLING');
    session.createBinding().bindInput('x', session.createTensor(x([1])));
    return 'left';
  },
  async 'a thread that is terminated in a run'() {
    const { thread } = await inThread('long run');
    await thread.terminate();
    const session = await open('DOUBLING');
    return [...(await session.run({ x: x([1]) })).y.data];
  },
  async 'sessions in two threads at once'() {
    const answers = await Promise.all([inThread('run'), inThread('run')]);
    return answers.map(({ message }) => message);
  },
  async 'telemetry in a thread'() {
    return (await inThread('run')).message;
  },
  async 'stacks of another user of koffi'() {
    const { default: koffi } = await import('koffi');
    koffi.load(null);
    const { chooseRuntime } = await load('choose-runtime.js');
    const { createOnnxSession } = await load('onnx.js');
    const session = await createOnnxSession(model('DOUBLING'));
    return [await chooseRuntime(), [...(await session.run({ x: x([1]) })).y.data]];
  },
  async 'koffi is not installed'() {
    const hook = `export async function resolve(name, context, next) {
      if (name === 'koffi') throw new Error('no koffi');
      return next(name, context);
    }`;
    register(`data:text/javascript,${encodeURIComponent(hook)}`);
    const { chooseRuntime } = await load('choose-runtime.js');
    const { createOnnxSession } = await load('onnx.js');
    const session = await createOnnxSession(model('DOUBLING'));
    return [await chooseRuntime(), [...(await session.run({ x: x([1]) })).y.data]];
  },
  async leaks() {
    const { createNativeSession } = await load('native/create-native-session.js');
    const rss = [];
    for (let round = 0; round < 60; round++) {
      const session = await createNativeSession(model('LOOPING'), { threads: 1 });
      const data = new Float32Array(262_144);
      const trips = { type: 'int64', dims: [], data: BigInt64Array.of(1n) };
      for (let run = 0; run < 10; run++) {
        await session.run({ trips, x: { type: 'float32', dims: [data.length], data } });
        const controller = new AbortController();
        const stopped = session.run({ trips: endless, x: x([0]) }, undefined, controller);
        setImmediate(() => controller.abort());
        await stopped.catch(() => {});
        const binding = session.createBinding();
        binding.bindInput('trips', session.createTensor(trips));
        binding.bindInput('x', session.createTensor({ type: 'float32', dims: [data.length], data }));
        binding.allocateOutput('y');
        await binding.run();
        binding.output('y').read();
        if (run % 2) binding.release();
      }
      await session.release();
      await collect();
      rss.push(process.memoryUsage().rss);
    }
    return rss;
  },
};

/** @type {Record<string, () => Promise<unknown>>} */
const threadCases = {
  async 'long run'() {
    const session = await open('LOOPING');
    const trips = { type: 'int64', dims: [], data: BigInt64Array.of(100_000n) };
    void session.run({ trips, x: x([0]) });
    return 'running';
  },
  async run() {
    const session = await open('DOUBLING');
    const { y } = await session.run({ x: x([21]) });
    await session.release();
    return y.data[0];
  },
};

if (isMainThread) {
  const result = await cases[process.argv[2] ?? '']?.();
  process.stdout.write(JSON.stringify(result));
} else {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has none
  parentPort?.postMessage(await threadCases[workerData]?.());
}
