// What image generation costs beside its graphs, what an added image costs, and the memory of decoding; above
// 1024 × 1024 pixels that happens in tiles.
// Processor time, one thread. Usage: npm run build && node benchmarks/image.js [folder of a model] [rounds]
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stableDiffusion } from '../dist/src/categories/image/architectures/stable-diffusion/architecture.js';
import { loadImagePipeline } from '../dist/src/categories/image/pipeline/image-pipeline.js';
import { completeImageRequest } from '../dist/src/categories/image/request.js';
import { createLatentDecoder } from '../dist/src/categories/image/architectures/stable-diffusion/latent-decoder.js';
import { openDiffusionFolder } from '../dist/src/categories/image/architectures/stable-diffusion/diffusion-folder.js';
import { createOnnxSession } from '../dist/src/runtime/onnx.js';
import { cpuTimer, machine, median } from './measure.js';

/** @param {string} path */
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundled = pathOf('../examples/models/tiny-image');
const miniature = pathOf('../test/categories/image/pipeline/miniatures/sd');
const byDefault = existsSync(`${bundled}/unet/model.onnx`) ? bundled : miniature;
const [source = byDefault, rounds = '5', decoded] = process.argv.slice(2);

/** Milliseconds in graphs so far, by the name of the graph. */
/** @type {Record<string, number>} */
const inGraphs = {};

function open() {
  return loadImagePipeline(
    { id: 'model', category: 'image', source },
    {
      hasGraphs: true,
      async openSession({ name = '', graph }) {
        const session = await createOnnxSession(graph, { threads: 1 });
        return {
          ...session,
          async run(feeds, fetches) {
            const elapsed = cpuTimer();
            const outputs = await session.run(feeds, fetches);
            inGraphs[name] = (inGraphs[name] ?? 0) + elapsed();
            return outputs;
          },
        };
      },
    },
    stableDiffusion,
  );
}

/**
 * @param {Awaited<ReturnType<typeof open>>} pipeline
 * @param {Partial<import('../dist/src/categories/image/request.js').ImageRequestInput>} asked
 * @returns {Promise<number>} milliseconds of processor time
 */
async function draw(pipeline, asked) {
  const prompt = 'a red circle above a blue square';
  const request = completeImageRequest({ model: 'model', prompt, seed: 1, ...asked });
  const elapsed = cpuTimer();
  for await (const event of pipeline.run(request)) void event;
  return elapsed();
}

if (decoded !== undefined) {
  const { decoder: component } = await openDiffusionFolder(source);
  const session = await createOnnxSession(component.graph, { threads: 1 });
  const { factor, decode } = createLatentDecoder(session, component);
  const side = Number(decoded) / factor;
  const before = process.resourceUsage().maxRSS / 1024;
  await decode(
    new Float32Array(4 * side * side),
    { width: side, height: side },
    {
      inTurn: (task) => task(),
    },
  );
  process.send?.([before, process.resourceUsage().maxRSS / 1024]);
  process.exit();
}

console.log(`${machine()}, ${source}, median of ${rounds} rounds`);
// First, because a process inherits the peak of the one that starts it.
/** @type {Record<string, object>} */
const memory = {};
for (const side of [512, 1024, 2048]) {
  const child = fork(pathOf('image.js'), [source, rounds, String(side)]);
  const [before, after] = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
  memory[`decoding ${side} × ${side}`] = {
    'before, MB': Math.round(before),
    'at most, MB': Math.round(after),
    'more, MB': Math.round(after - before),
  };
}
console.table(memory);

const pipeline = await open();
/** @type {Record<string, object>} */
const shares = {};
for (const size of [256, 512, 1024]) {
  const asked = { width: size, height: size };
  await draw(pipeline, asked);
  /** @type {[total: number, outside: number, added: number][]} */
  const measured = [];
  for (let round = 0; round < Number(rounds); round++) {
    const before = sum(inGraphs);
    const total = await draw(pipeline, asked);
    const outside = total - (sum(inGraphs) - before);
    const four = size > 512 ? Number.NaN : await draw(pipeline, { ...asked, n: 4 });
    measured.push([total, outside, (four - total) / 3]);
  }
  const total = median(measured.map(([whole]) => whole));
  const outside = median(measured.map(([, beside]) => beside));
  const added = median(measured.map(([, , more]) => more));
  shares[`${size} × ${size}`] = {
    'ms an image': Math.round(total),
    'outside graphs, ms': Number(outside.toFixed(1)),
    'outside graphs, %': Number(((100 * outside) / total).toFixed(2)),
    'added image / first': Number((added / total).toFixed(3)),
  };
}
console.table(shares);

// A step beside its graph: of two images, one with three times as many steps.
/** @type {Record<string, object>} */
const steps = {};
for (const size of [256, 512, 1024]) {
  const few = { width: size, height: size, numInferenceSteps: 10 };
  const many = { ...few, numInferenceSteps: 30 };
  /** @param {typeof few} asked */
  const both = async (asked) => {
    const before = sum(inGraphs);
    const total = await draw(pipeline, asked);
    return [total, sum(inGraphs) - before];
  };
  /** @type {[whole: number, graph: number][]} */
  const measured = [];
  for (let round = 0; round < Number(rounds); round++) {
    const [[fewTotal = 0, fewGraph = 0], [manyTotal = 0, manyGraph = 0]] = [
      await both(few),
      await both(many),
    ];
    measured.push([(manyTotal - fewTotal) / 20, (manyGraph - fewGraph) / 20]);
  }
  const whole = median(measured.map(([one]) => one));
  const graph = median(measured.map(([, one]) => one));
  steps[`${size} × ${size}`] = {
    'ms a step': Number(whole.toFixed(2)),
    'its graph, ms': Number(graph.toFixed(2)),
    'overhead, ms': Number(median(measured.map(([one, other]) => one - other)).toFixed(2)),
    'overhead, %': Number(((100 * (whole - graph)) / graph).toFixed(1)),
  };
}
console.table(steps);
console.log(
  'by graph, ms:',
  Object.fromEntries(Object.entries(inGraphs).map(([name, ms]) => [name, Math.round(ms)])),
);

/** @param {Record<string, number>} values */
function sum(values) {
  return Object.values(values).reduce((total, value) => total + value, 0);
}
