// How much of a transcription goes into copying the decoder's self-attention cache, with a model of real shape: what the graph's
// Concat copies, and what is copied into arrays of JavaScript; both measured in graphs that do nothing else. Times are processor time, which other load changes little.
// Usage: node benchmarks/transcription-cache.js --model FOLDER [--threads 1] [--tokens 100] [--rounds 9]
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { onnxSessions } from '../dist/src/backends/onnx/sessions.js';
import { integerAttribute } from '../dist/src/core/onnx/attributes.js';
import { tensorValue } from '../dist/src/core/onnx/value.js';
import { writeOnnxModel } from '../dist/src/core/onnx/write-model.js';
import { loadWhisperModel } from '../dist/src/categories/transcription/architectures/whisper/whisper-model.js';
import { createOnnxSession } from '../dist/src/runtime/onnx.js';
import { createCacheLayout } from '../dist/src/categories/transcription/pipeline/decoder-cache.js';
import { compare, cpuTimer, machine } from './measure.js';
import { findRealModel } from './real-models.js';

const { values } = parseArgs({
  options: {
    model: {
      type: 'string',
      default: findRealModel('whisper-base') ?? 'benchmarks/models/cache/whisper-base-q8',
    },
    threads: { type: 'string', default: '1' },
    tokens: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '9' },
  },
});
const threads = Number(values.threads);
const tokens = Number(values.tokens);
const rounds = Number(values.rounds);
const config = JSON.parse(readFileSync(`${values.model}/config.json`, 'utf8'));
/** @param {string} name */
const locate = (name) => {
  const path = `${values.model}/onnx/${name}`;
  return existsSync(`${path}_quantized.onnx`) ? `${path}_quantized.onnx` : `${path}.onnx`;
};
const decoderPath = locate('decoder_model_merged');
const [layers, heads] = [config.decoder_layers, config.decoder_attention_heads];
const headSize = config.d_model / heads;
const folder = /** @type {any} */ ({
  encoder: locate('encoder_model'),
  decoder: { merged: decoderPath },
  decoderLayers: layers,
  decoderHeads: heads,
  headSize,
  melBins: config.num_mel_bins,
  windowFrames: config.max_source_positions * 2,
  vocabularySize: config.vocab_size,
});
const prefix = [50258, 50259, 50359, 50364];

console.log(machine());
const model = await loadWhisperModel(folder, (graph) => onnxSessions.openSession(graph, { threads }));
const features = new Float32Array(folder.melBins * folder.windowFrames);
const window = await model.encode(features);

/** Processor time of one window, as it is transcribed without beginning anew at a higher temperature. */
async function transcribe() {
  const used = cpuTimer();
  let state = await model.start(await model.encode(features), prefix);
  for (let step = 0; step < tokens; step++) state = await model.step(state, 1000 + step);
  return used();
}

const session = await createOnnxSession(decoderPath, { threads });
const layout = createCacheLayout(folder, session, session);
const joining = await createOnnxSession(writeOnnxModel(sizesModel(true)), { threads });
const reading = await createOnnxSession(writeOnnxModel(sizesModel(false)), { threads });
const lengths = [...new Set([prefix.length, tokens >> 1, tokens].map((length) => Math.max(length, 1)))];
/** @type {{ length: number, copied: number, joined: number, step: number }[]} */
const measured = [];
for (const length of lengths) {
  const first = Array.from({ length }, (_, index) => 1000 + index);
  const outputs = await session.run(layout.firstFeeds(window, first), layout.firstOutputs);
  const feeds = layout.nextFeeds(layout.begin(window, length, outputs), 1000);
  /** @type {Record<string, import('../dist/src/contracts/graph.js').Tensor>} */
  const joined = {};
  for (let index = 0; index < layers * 2; index++) {
    joined[`past${index}`] = {
      type: 'float32',
      dims: [1, heads, length, headSize],
      data: new Float32Array(heads * length * headSize),
    };
  }
  joined['last'] = {
    type: 'float32',
    dims: [1, heads, 1, headSize],
    data: new Float32Array(heads * headSize),
  };
  /** @param {() => Promise<unknown>} run */
  const timed = (run) => async () => {
    const used = cpuTimer();
    for (let repeat = 0; repeat < 5; repeat++) await run();
    return used() / 5;
  };
  const results = await compare(
    {
      step: timed(() => session.run(feeds, ['logits', ...layout.nextOutputs])),
      reading: timed(() => reading.run(joined)),
      joining: timed(() => joining.run(joined, ['sizes'])),
      copying: timed(() => joining.run(joined)),
    },
    rounds,
  );
  const { step = Number.NaN, reading: read = Number.NaN } = results;
  const { joining: join = Number.NaN, copying: copy = Number.NaN } = results;
  measured.push({ length, step, copied: copy - join, joined: join - read });
}

const { whole = Number.NaN } = await compare({ whole: transcribe }, rounds);
console.log(`${values.model}, ${threads} threads; CPU ms, medians of ${rounds} rounds`);
console.log('tokens  bytes of cache     step  into JavaScript  Concat');
for (const { length, step, copied, joined } of measured) {
  const bytes = layers * 2 * heads * headSize * 4 * length;
  console.log(
    `${String(length).padStart(6)}  ${String(bytes).padStart(14)}  ${step.toFixed(2).padStart(7)}` +
      `  ${copied.toFixed(3).padStart(15)}  ${joined.toFixed(3).padStart(6)}`,
  );
}
// Both grow with the length: the middle one is the mean of all steps.
const middle = /** @type {NonNullable<(typeof measured)[number]>} */ (measured[1]);
const share = (/** @type {number} */ part) => `${((100 * part * tokens) / whole).toFixed(2)} %`;
console.log(
  `a window of ${tokens} tokens: ${whole.toFixed(0)} CPU ms; copies into JavaScript ${share(middle.copied)}, Concat ${share(middle.joined)}`,
);
await Promise.all([model.release(), session.release(), joining.release(), reading.release()]);

/**
 * Asks for the sizes of past keys and values, which it joins to those of one more token before, or doesn't.
 *
 * @param {boolean} joins
 */
function sizesModel(joins) {
  const indices = Array.from({ length: layers * 2 }, (_, index) => index);
  /** @type {(operator: string, inputs: string[], output: string, axis?: number) => any} */
  const node = (operator, inputs, output, axis) => ({
    name: '',
    operator,
    domain: '',
    inputs,
    outputs: [output],
    attributes: axis === undefined ? [] : [integerAttribute('axis', axis)],
    unknown: [],
  });
  return {
    irVersion: 10,
    producerName: '',
    producerVersion: '',
    opsets: [{ domain: '', version: 17 }],
    metadata: new Map(),
    graph: {
      name: 'sizes',
      values: [],
      unknown: [],
      initializers: [],
      nodes: [
        ...indices.flatMap((index) => [
          ...(joins ? [node('Concat', [`past${index}`, 'last'], `present${index}`, 2)] : []),
          node('Shape', [joins ? `present${index}` : `past${index}`], `size${index}`),
        ]),
        node(
          'Concat',
          indices.map((index) => `size${index}`),
          'sizes',
          0,
        ),
      ],
      inputs: [
        ...indices.map((index) => tensorValue(`past${index}`, 1, [1, heads, 'past', headSize])),
        tensorValue('last', 1, [1, heads, 1, headSize]),
      ],
      outputs: [
        tensorValue('sizes', 7, [layers * 8]),
        ...(joins ? indices : []).map((index) =>
          tensorValue(`present${index}`, 1, [1, heads, 'present', headSize]),
        ),
      ],
    },
    unknown: [],
  };
}
