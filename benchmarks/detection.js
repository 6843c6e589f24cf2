// From a detector's output to boxes, beside one pass over the output: `npm run build && node benchmarks/detection.js`.
// CPU time, so that other work on the machine counts little.
import { createCandidates, decodeYoloV5Into, decodeYoloV8Into, selectDetections } from 'slashv1/vision';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const classCount = 80;
const objects = 40;
const rounds = 15;
const callsPerRound = 20;
const input = { width: 640, height: 640 };

let state = 1;
/** 0 to 1, the same in every run. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

/**
 * Places in rows: cx, cy, width, height, class, score. Some are about objects, each seen from many places; the others
 * are the floor of noise that real detectors have.
 *
 * @param {number} count
 * @param {boolean} isCrowded every place with a score of its own between 0 and 1
 */
function places(count, isCrowded) {
  const things = Array.from({ length: objects }, () => [
    random() * 640,
    random() * 640,
    20 + random() * 200,
    20 + random() * 200,
    Math.floor(random() * classCount),
  ]);
  return Array.from({ length: count }, () => {
    const [x = 0, y = 0, width = 0, height = 0, classId = 0] = things[Math.floor(random() * objects)] ?? [];
    const isSeen = random() < 0.1;
    const score = isCrowded ? random() : isSeen ? random() : random() ** 6 * 0.02;
    return [x + random() * 8, y + random() * 8, width + random() * 8, height + random() * 8, classId, score];
  });
}

/**
 * @param {number} count
 * @param {boolean} isCrowded
 */
function yoloV8Output(count, isCrowded) {
  const data = Float32Array.from({ length: (4 + classCount) * count }, () => random() * 1e-4);
  places(count, isCrowded).forEach(([x = 0, y = 0, width = 0, height = 0, classId = 0, score = 0], place) => {
    for (const [row, value] of [x, y, width, height].entries()) data[row * count + place] = value;
    data[(4 + classId) * count + place] = score;
  });
  return { data, dims: [1, 4 + classCount, count] };
}

/**
 * @param {number} count
 * @param {boolean} isCrowded
 */
function yoloV5Output(count, isCrowded) {
  const width = 5 + classCount;
  const data = Float32Array.from({ length: width * count }, () => random() * 1e-4);
  places(count, isCrowded).forEach(([x = 0, y = 0, w = 0, h = 0, classId = 0, score = 0], place) => {
    data.set([x, y, w, h, score], place * width);
    data[place * width + 5 + classId] = 1;
  });
  return { data, dims: [1, count, width] };
}

/** @param {Float32Array} values */
function onePass(values) {
  let max = -Infinity;
  for (let index = 0; index < values.length; index++) {
    const value = /** @type {number} */ (values[index]);
    if (value > max) max = value;
  }
  return max;
}

const candidates = createCandidates();
let checksum = 0;

/** @param {() => number} run */
function timed(run) {
  return () => {
    const elapsed = cpuTimer();
    for (let call = 0; call < callsPerRound; call++) checksum += run();
    return elapsed() / callsPerRound;
  };
}

console.log(`${machine()}, CPU ms per image, median of ${rounds} rounds`);
/** @type {[shape: string, decode: import('slashv1/vision').DecodeInto, typeof yoloV8Output, count: number][]} */
const heads = [
  ['[1, 84, 8400]', decodeYoloV8Into, yoloV8Output, 8400],
  ['[1, 85, 25200]', decodeYoloV5Into, yoloV5Output, 25200],
];
for (const [shape, decode, outputOf, count] of heads) {
  for (const isCrowded of [false, true]) {
    const output = outputOf(count, isCrowded);
    /** @type {Record<string, () => number>} */
    const contenders = { 'one pass over the output': timed(() => onePass(output.data)) };
    for (const confidence of [0.25, 0.001]) {
      const decoded = decode(candidates, output, { classCount, confidence, input }).count;
      contenders[`decode, ${confidence}`] = timed(
        () => decode(candidates, output, { classCount, confidence, input }).count,
      );
      contenders[`decode and suppress, ${confidence} (${decoded} candidates)`] = timed(() => {
        decode(candidates, output, { classCount, confidence, input });
        return selectDetections(candidates, { iouThreshold: 0.45, maxDetections: 300 }).length;
      });
    }
    const title = `${shape}, ${isCrowded ? 'every place with a score from 0 to 1' : `${objects} objects and noise`}`;
    printRatios(title, await compare(contenders, rounds), {
      unit: 'ms',
      baseline: 'one pass over the output',
    });
  }
}

const output = yoloV8Output(8400, true);
const run = () => {
  decodeYoloV8Into(candidates, output, { classCount, confidence: 0.001 });
  return selectDetections(candidates, { iouThreshold: 0.45, maxDetections: 300 }).length;
};
for (let call = 0; call < 50; call++) checksum += run();
const before = process.memoryUsage();
const calls = 100;
for (let call = 0; call < calls; call++) checksum += run();
const after = process.memoryUsage();
const bytes = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / calls;
console.log(`\nmemory grows by ${bytes.toFixed(0)} bytes an image; checksum ${checksum}`);
