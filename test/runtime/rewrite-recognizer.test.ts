import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { elementTypes } from '../../src/core/onnx/element-types.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from '../../src/core/onnx/model.ts';
import { fuseWholeAttention } from '../../src/core/onnx/rewrites/whole-attention.ts';
import { pruneGraph } from '../../src/core/onnx/prune-graph.ts';
import { withContribDomain } from '../../src/core/onnx/graph-draft.ts';
import { multiplyByBlocks } from '../../src/core/onnx/rewrites/products-by-blocks.ts';
import { scoreInTwoStages } from '../../src/core/onnx/rewrites/two-stage-scores.ts';
import { signWeights } from '../../src/core/onnx/rewrites/signed-weights.ts';
import { takeBranch } from '../../src/core/onnx/rewrites/take-branch.ts';
import { keepLastPositions } from '../../src/core/onnx/rewrites/rewrite-nodes.ts';
import { tensorValue } from '../../src/core/onnx/value.ts';
import { rewriteRecognizer } from '../../src/runtime/rewrite-recognizer.ts';
import { measuredByteKernels, type ByteKernels } from '../../src/runtime/byte-kernels.ts';
import { readOnnxModel, writeOnnxModel } from '../../src/core/onnx/messages.ts';
import type { Tensor, TensorSignature } from '../../src/contracts/graph.ts';
import { readOnnxFile } from '../../src/runtime/onnx-file.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';

const [size, columns, rows] = [64, 8192, 3] as const;
const [scale, zeroPoint] = [0.02, 120] as const;
const folder = mkdtempSync(join(tmpdir(), 'byte-products-'));
afterAll(() => rmSync(folder, { recursive: true }));

const x = Float32Array.from({ length: rows * size }, (_, at) => Math.sin(at * 1.7));
const noise = (at: number): number => ((Math.sin(at * 12.9898) * 43_758.5453) % 1) / 2;
const byteAt = (row: number, column: number): number => Math.floor(128 + 250 * noise(row + size * column));

const expected = Array.from({ length: rows * columns }, (_, at) => {
  const [row, column] = [Math.floor(at / columns), at % columns];
  let sum = 0;
  for (let inner = 0; inner < size; inner++)
    sum += x[row * size + inner]! * (byteAt(inner, column) - zeroPoint) * scale;
  return sum;
});

const node = (operator: string, inputs: readonly string[], outputs: readonly string[]): OnnxNode => ({
  name: '',
  operator,
  domain: '',
  inputs,
  outputs,
  attributes: [],
  unknown: [],
});

const constant = (
  name: string,
  elementType: number,
  dims: readonly number[],
  array: Uint8Array | Float32Array,
): OnnxTensor => ({
  name,
  elementType,
  dims,
  data: { place: 'inline', bytes: new Uint8Array(array.buffer) },
  unknown: [],
});

const graphOf = (name: string, nodes: readonly OnnxNode[]): OnnxGraph => ({
  name,
  nodes,
  initializers: [],
  inputs: [],
  outputs: [tensorValue('logits', elementTypes.float32, [1, 'rows', columns])],
  values: [],
  unknown: [],
});

/** As a merged decoder of the hub has it: the weights outside, a product in each branch. */
function model(dims: readonly number[] = []): OnnxModel {
  const products = [
    node('Transpose', ['w'], ['turned']),
    node('DequantizeLinear', ['turned', 's', 'z'], ['floats']),
    node('MatMul', ['x', 'floats'], ['logits']),
  ];
  const branch = (name: string): OnnxAttribute => ({
    name,
    value: { type: 'graph', value: graphOf(name, products) },
    unknown: [],
  });
  const bytes = Uint8Array.from({ length: size * columns }, (_, index) =>
    byteAt(index % size, Math.floor(index / size)),
  );
  return {
    irVersion: 9,
    producerName: '',
    producerVersion: '',
    opsets: [
      { domain: '', version: 18 },
      { domain: 'com.microsoft', version: 1 },
    ],
    metadata: new Map(),
    unknown: [],
    graph: {
      ...graphOf('main', [
        { ...node('If', ['first'], ['logits']), attributes: [branch('then_branch'), branch('else_branch')] },
      ]),
      initializers: [
        constant('w', elementTypes.uint8, [columns, size], bytes),
        constant('s', elementTypes.float32, dims, Float32Array.of(scale)),
        constant('z', elementTypes.uint8, dims, Uint8Array.of(zeroPoint)),
      ],
      inputs: [
        tensorValue('x', elementTypes.float32, [1, 'rows', size]),
        tensorValue('first', elementTypes.bool, [1]),
      ],
    },
  };
}

async function run(graph: string | Uint8Array, first: boolean): Promise<Float32Array> {
  const session = await createOnnxSession(graph, { threads: 1, weightsFolder: folder });
  try {
    const { logits } = await session.run({
      x: { type: 'float32', dims: [1, rows, size], data: x },
      first: { type: 'bool', dims: [1], data: Uint8Array.of(first ? 1 : 0) },
    });
    return logits!.data as Float32Array;
  } finally {
    await session.release();
  }
}

/** Compares scores of two rows or more: the likeliest are exact, all others nearly. */
function expectStaged(actual: Float32Array, exact: ArrayLike<number>): void {
  expect(actual).toHaveLength(exact.length);
  for (let start = 0; start < exact.length; start += columns) {
    const tokens = Array.from({ length: columns }, (_, token) => start + token);
    const order = tokens.sort((a, b) => exact[b]! - exact[a]!);
    const errors = order.map((at) => Math.abs(actual[at]! - exact[at]!));
    const largest = Math.abs(exact[order[0]!]!);
    expect(Math.max(...errors.slice(0, 20))).toBeLessThan(1e-4 * largest);
    expect(Math.max(...errors)).toBeLessThan(0.02 * largest);
    expect(Math.max(...errors)).toBeGreaterThan(1e-4 * largest);
  }
}

function operatorsOf({ nodes }: OnnxGraph): string[] {
  return nodes.flatMap(({ operator, attributes }) => [
    operator,
    ...attributes.flatMap(({ value }) => (value.type === 'graph' ? operatorsOf(value.value) : [])),
  ]);
}

it('scores in two stages in both branches', async () => {
  const original = model();
  const graph = scoreInTwoStages(original, 'logits')!;
  const operators = operatorsOf(graph);
  expect(operators.filter((one) => one === 'MatMulNBits')).toHaveLength(2);
  const bytes = writeOnnxModel({ ...original, graph });
  for (const first of [true, false]) expectStaged(await run(bytes, first), expected);
});

const kernels: ByteKernels = {
  areFastByBlocks: async () => true,
  areExactWithSigns: async () => true,
};

it('maps the weights from the file, and leaves other graphs as they are', async () => {
  const path = join(folder, 'model.onnx');
  const original = model();
  writeFileSync(path, writeOnnxModel(original));
  const { graph, bytes } = await rewriteRecognizer(path, { device: 'cpu', kernels });
  expectStaged(await run(bytes ?? graph, true), expected);
  const other = join(folder, 'other.onnx');
  writeFileSync(other, writeOnnxModel({ ...original, graph: { ...original.graph, nodes: [] } }));
  expect(await rewriteRecognizer(other, { device: 'cpu', kernels })).toEqual({ graph: other });
});

it('leaves products as they are where the processor has no kernels for bytes', async () => {
  const path = join(folder, 'slow.onnx');
  writeFileSync(path, writeOnnxModel(model()));
  const rewritten = await rewriteRecognizer(path, {
    device: 'cpu',
    kernels: { ...kernels, areFastByBlocks: async () => false },
  });
  expect(rewritten).toEqual({ graph: path });
});

it('takes one branch of a merged graph, with the inputs and outputs that it has', async () => {
  const { graph, ...others } = model();
  const [fork] = graph.nodes;
  const value = (name: string) => tensorValue(name, elementTypes.float32, []);
  const rows2 = tensorValue('negative', elementTypes.float32, [1, 'rows', columns]);
  const branch = (name: string, changes: Partial<OnnxGraph>): OnnxAttribute => {
    const { value: whole } = fork!.attributes.find((each) => each.name === name)!.value as {
      value: OnnxGraph;
    };
    return { name, value: { type: 'graph', value: { ...whole, ...changes } }, unknown: [] };
  };
  const products = [
    node('Transpose', ['w'], ['turned']),
    node('DequantizeLinear', ['turned', 's', 'z'], ['floats']),
    node('MatMul', ['x', 'floats'], ['product']),
  ];
  const merged: OnnxGraph = {
    ...graph,
    nodes: [
      node('DynamicQuantizeLinear', ['sound'], ['q', 'qs', 'qz']),
      {
        ...fork!,
        outputs: ['logits', 'heard'],
        attributes: [
          branch('then_branch', {
            initializers: [constant('none', elementTypes.float32, [], new Float32Array(1))],
            outputs: [graph.outputs[0]!, value('none')],
          }),
          branch('else_branch', {
            nodes: [...products, node('Neg', ['product'], ['negative']), node('Identity', ['qs'], ['scale'])],
            outputs: [rows2, value('scale')],
          }),
        ],
      },
    ],
    inputs: [...graph.inputs, tensorValue('sound', elementTypes.float32, ['length'])],
    outputs: [...graph.outputs, value('heard')],
  };
  const sound = { type: 'float32', dims: [1], data: Float32Array.of(5.1) } as const;
  const runBranch = async (isTrue: boolean) => {
    const taken = takeBranch(merged, 'first', isTrue)!;
    const session = await createOnnxSession(writeOnnxModel({ ...others, graph: taken }), { threads: 1 });
    const feeds = { x: { type: 'float32', dims: [1, rows, size], data: x }, sound } as const;
    const { logits, heard } = await session.run(isTrue ? { x: feeds.x } : feeds);
    await session.release();
    const names = [...session.inputs, ...session.outputs].map(({ name }) => name);
    return { names, logits: [...(logits!.data as Float32Array)], heard: heard?.data[0] };
  };
  const [withCaches, without] = [await runBranch(true), await runBranch(false)];
  expect(withCaches).toEqual({ names: ['x', 'logits'], logits: expect.any(Array), heard: undefined });
  expect(without.names).toEqual(['x', 'sound', 'logits', 'heard']);
  expect(without.logits).toEqual(withCaches.logits.map((each) => -each));
  expect(without.heard).toBeCloseTo(5.1 / 255, 5);
  expect(takeBranch(merged, 'x', true)).toBeUndefined();
});

it('scores the last positions alone', async () => {
  const original = model();
  const short = { ...original, graph: keepLastPositions(original.graph, 'logits', 2)! };
  const [all, last] = [original, short].map((one) =>
    writeOnnxModel({ ...one, graph: scoreInTwoStages(one, 'logits')! }),
  ) as [Uint8Array, Uint8Array];
  for (const first of [true, false])
    expect(await run(last, first)).toEqual((await run(all, first)).slice(columns));
  expect(keepLastPositions(original.graph, 'y', 2)).toBeUndefined();
});

it.each<[string, OnnxModel]>([
  [
    'weights that are no constants',
    {
      ...model(),
      graph: { ...model().graph, initializers: model().graph.initializers.slice(1) },
    },
  ],
  ['a scale for each row', model([2])],
  ['an older version of the operators', { ...model(), opsets: [{ domain: '', version: 17 }] }],
  ['rows that make no whole blocks', withTable([columns, 100])],
  ['few tokens', withTable([columns - 1, size])],
])('leaves alone %s', (_, given) => {
  expect(scoreInTwoStages(given, 'logits')).toBeUndefined();
});

function withTable(dims: readonly number[]): OnnxModel {
  const { graph, ...others } = model();
  const initializers = graph.initializers.map((each) => (each.name === 'w' ? { ...each, dims } : each));
  return { ...others, graph: { ...graph, initializers } };
}

it('rounds a table of float32 at load', async () => {
  const table = Float32Array.from({ length: size * columns }, (_, at) => noise(at));
  const products = [node('Transpose', ['table'], ['turned']), node('MatMul', ['x', 'turned'], ['logits'])];
  const original: OnnxModel = {
    ...model(),
    graph: {
      ...graphOf('scores', products),
      initializers: [constant('table', elementTypes.float32, [columns, size], table)],
      inputs: [tensorValue('x', elementTypes.float32, [1, 'rows', size])],
    },
  };
  const scoresOf = async (graph: OnnxGraph): Promise<Float32Array> => {
    const session = await createOnnxSession(writeOnnxModel({ ...original, graph }), { threads: 1 });
    const { logits } = await session.run({ x: { type: 'float32', dims: [1, rows, size], data: x } });
    await session.release();
    return logits!.data as Float32Array;
  };
  const staged = scoreInTwoStages(original, 'logits')!;
  expectStaged(await scoresOf(staged), await scoresOf(original.graph));
  expect(scoreInTwoStages(original, 'x')).toBeUndefined();
});

it('gives whole products signed weights, and the same values', async () => {
  const bytes = Uint8Array.from({ length: size * columns }, (_, at) => (at * 89) % 256);
  const given = Uint8Array.from({ length: size }, (_, at) => (at * 57) % 256);
  const original: OnnxModel = {
    ...model(),
    graph: {
      ...graphOf('whole', [node('MatMulInteger', ['x', 'w', 'zx', 'z'], ['y'])]),
      initializers: [
        constant('w', elementTypes.uint8, [size, columns], bytes),
        constant('z', elementTypes.uint8, [], Uint8Array.of(zeroPoint)),
        constant('zx', elementTypes.uint8, [], Uint8Array.of(31)),
      ],
      inputs: [tensorValue('x', elementTypes.uint8, [1, size])],
      outputs: [tensorValue('y', elementTypes.int32, [1, columns])],
    },
  };
  const graph = signWeights(original)!;
  const products = await Promise.all(
    [original.graph, graph].map(async (one) => {
      const session = await createOnnxSession(writeOnnxModel({ ...original, graph: one }), { threads: 1 });
      const { y } = await session.run({ x: { type: 'uint8', dims: [1, size], data: given } });
      await session.release();
      return [...(y!.data as Int32Array)];
    }),
  );
  if (await measuredByteKernels.areExactWithSigns()) expect(products[1]).toEqual(products[0]);
  expect(signWeights({ ...original, graph })).toBeUndefined();
  expect(signWeights({ ...original, opsets: [{ domain: '', version: 17 }] })).toBeUndefined();
});

/** A row of one block. */
const wide = 256;

/** As `quantize_dynamic` writes a product; `weights` are signed or unsigned bytes, with one scale for all or for each column. */
function roundedProduct(weights: Int8Array | Uint8Array, scales: readonly number[]): OnnxModel {
  const type = weights instanceof Int8Array ? elementTypes.int8 : elementTypes.uint8;
  const zero = new Uint8Array(scales.length).fill(weights instanceof Int8Array ? 0 : zeroPoint);
  const dims = scales.length === 1 ? [] : [scales.length];
  const nodes = [
    node('DynamicQuantizeLinear', ['x'], ['q', 'qs', 'qz']),
    node('MatMulInteger', ['q', 'w', 'qz', 'z'], ['whole']),
    {
      ...node('Cast', ['whole'], ['floats']),
      attributes: [{ name: 'to', value: { type: 'integer', value: 1n }, unknown: [] } as const],
    },
    node('Mul', ['qs', 's'], ['scales']),
    node('Mul', ['floats', 'scales'], ['y']),
  ];
  return {
    ...model(),
    graph: {
      ...graphOf('rounded', nodes),
      initializers: [
        constant('w', type, [wide, weights.length / wide], new Uint8Array(weights.buffer)),
        constant('s', elementTypes.float32, dims, Float32Array.from(scales)),
        constant('z', type, dims, zero),
      ],
      inputs: [tensorValue('x', elementTypes.float32, [1, 'rows', wide])],
      outputs: [tensorValue('y', elementTypes.float32, [1, 'rows', 'columns'])],
    },
  };
}

const few = 48;
it.each<[string, Int8Array | Uint8Array, readonly number[]]>([
  [
    'signed weights of one scale',
    Int8Array.from({ length: wide * few }, (_, at) => ((at * 89) % 255) - 127),
    [scale],
  ],
  [
    'unsigned weights with a scale for each column',
    Uint8Array.from({ length: wide * few }, (_, at) => (at * 89) % 256),
    Array.from({ length: few }, (_, column) => scale * (1 + (column % 5))),
  ],
])('rounds a row of a product by itself: %s', async (_, weights, scales) => {
  const original = roundedProduct(weights, scales);
  // The first row is that of a token to which all others attend.
  const input = Float32Array.from(
    { length: rows * wide },
    (_each, at) => Math.sin(at * 1.1) * (at < wide ? 500 : 1),
  );
  const zero = weights instanceof Int8Array ? 0 : zeroPoint;
  const exact = Array.from({ length: rows * few }, (_value, at) => {
    const [row, column] = [Math.floor(at / few), at % few];
    const terms = Array.from(
      { length: wide },
      (_term, inner) => input[row * wide + inner]! * (weights[inner * few + column]! - zero),
    );
    return terms.reduce((a, b) => a + b) * (scales[column] ?? scale);
  });
  const errorsOf = async (graph: OnnxGraph): Promise<number[]> => {
    const session = await createOnnxSession(writeOnnxModel({ ...original, graph }), { threads: 1 });
    const { y } = await session.run({ x: { type: 'float32', dims: [1, rows, wide], data: input } });
    await session.release();
    const norm = (values: readonly number[]): number => Math.hypot(...values);
    return Array.from({ length: rows }, (_row, row) => {
      const wanted = exact.slice(row * few, (row + 1) * few);
      return norm(wanted.map((value, at) => (y!.data[row * few + at] as number) - value)) / norm(wanted);
    });
  };
  const graph = multiplyByBlocks(original)!;
  expect(operatorsOf(graph)).not.toContain('DynamicQuantizeLinear');
  expect(Math.max(...(await errorsOf(graph)))).toBeLessThan(0.02);
  expect(Math.max(...(await errorsOf(original.graph)))).toBeGreaterThan(0.2);
});

it('rounds products of the tokens before a text by rows, and no others', async () => {
  const path = join(folder, 'rounded.onnx');
  writeFileSync(path, writeOnnxModel(roundedProduct(new Uint8Array(wide * few).fill(7), [scale])));
  const operatorsFor = async (hasCaches?: boolean, areFast = true): Promise<string[]> => {
    const measured = { ...kernels, areFastByBlocks: async () => areFast };
    const { bytes } = await rewriteRecognizer(path, { device: 'cpu', kernels: measured, hasCaches });
    return operatorsOf(readOnnxModel(bytes!).graph);
  };
  expect(await operatorsFor(false)).toContain('MatMulNBits');
  for (const operators of [await operatorsFor(true), await operatorsFor(), await operatorsFor(false, false)])
    expect(operators).toContain('MatMulInteger');
});

it.each<[string, (whole: OnnxModel) => OnnxModel]>([
  [
    'weights that are no constants',
    (whole) => ({ ...whole, graph: { ...whole.graph, initializers: whole.graph.initializers.slice(1) } }),
  ],
  ['an older version of the operators', (whole) => ({ ...whole, opsets: [{ domain: '', version: 17 }] })],
  [
    'rows that make no whole blocks',
    (whole) => ({
      ...whole,
      graph: {
        ...whole.graph,
        initializers: whole.graph.initializers.map((each) =>
          each.name === 'w' ? { ...each, dims: [few, wide] } : each,
        ),
      },
    }),
  ],
  [
    'a sum that other numbers multiply',
    (whole) => ({
      ...whole,
      graph: {
        ...whole.graph,
        nodes: whole.graph.nodes.map((each) =>
          each.outputs[0] === 'scales' ? { ...each, inputs: ['other', 's'] } : each,
        ),
      },
    }),
  ],
])('keeps products of %s', (_, change) => {
  expect(multiplyByBlocks(change(roundedProduct(new Uint8Array(wide * few), [scale])))).toBeUndefined();
});

const tinyModels = dirname(fileURLToPath(import.meta.resolve('@slashv1/tiny-models/package.json')));
const {
  d_model: width,
  encoder_attention_heads: heads,
  decoder_attention_heads: decoderHeads,
} = JSON.parse(readFileSync(join(tinyModels, 'tiny-whisper/config.json'), 'utf8'));
const attention = { heads, size: width / heads };
const encoder = join(tinyModels, 'tiny-whisper/onnx/encoder_model.onnx');

it('reads a decoder that is merged as two', async () => {
  const path = join(tinyModels, 'tiny-whisper/onnx/decoder_model_merged.onnx');
  for (const hasCaches of [true, false])
    expect(await rewriteRecognizer(path, { device: 'cpu', hasCaches })).toMatchObject({ isBranch: true });
  expect(await rewriteRecognizer(path, { device: 'cuda', hasCaches: true })).toEqual({ graph: path });
});

it('keeps few scores of attention, and the values', async () => {
  const { graph, bytes } = await rewriteRecognizer(encoder, { device: 'cpu', attention, kernels });
  const original = readOnnxFile(encoder).graph;
  const fused = fuseWholeAttention(original, attention)!;
  const count = (operators: readonly string[], one: string) =>
    operators.filter((other) => other === one).length;
  expect(count(operatorsOf(fused), 'MultiHeadAttention')).toBe(count(operatorsOf(original), 'Softmax'));
  expect(operatorsOf(fused)).not.toContain('Softmax');
  const signature = original.inputs[0]!;
  const dims = signature.dims!.map((dim) => (typeof dim === 'number' ? dim : 1));
  const data = Float32Array.from({ length: dims.reduce((a, b) => a * b) }, (_, at) => Math.sin(at * 0.37));
  const [before, after] = await Promise.all(
    [encoder, bytes!].map(async (each) => {
      const session = await createOnnxSession(each, { threads: 1, weightsFolder: dirname(graph) });
      const outputs = await session.run({ [signature.name]: { type: 'float32', dims, data } });
      await session.release();
      return Object.values(outputs)[0]!.data as Float32Array;
    }),
  );
  expect(after).toHaveLength(before!.length);
  expect(Math.max(...after!.map((value, at) => Math.abs(value - before![at]!)))).toBeLessThan(1e-4);
});

it('computes attention of a step to its caches in one node, and the same values', async () => {
  const path = join(tinyModels, 'tiny-whisper/onnx/decoder_model_merged.onnx');
  const decoding = { heads: decoderHeads, size: width / decoderHeads };
  const { graph, bytes } = await rewriteRecognizer(path, {
    device: 'cpu',
    hasCaches: true,
    attention: decoding,
    kernels: { ...kernels, areFastByBlocks: async () => false },
  });
  const operators = operatorsOf(readOnnxModel(bytes!).graph);
  // Two layers, each of which looks at its own text and at the audio.
  expect(operators.filter((one) => one === 'MultiHeadAttention')).toHaveLength(4);
  const [whole, step] = await Promise.all([
    createOnnxSession(path, { threads: 1 }),
    createOnnxSession(bytes!, { threads: 1, weightsFolder: dirname(graph) }),
  ]);
  const feed = ({ name, type, dims }: TensorSignature): [string, Tensor] => {
    if (name === 'input_ids') return [name, { type, dims: [1, 1], data: BigInt64Array.of(7n) }];
    if (name === 'use_cache_branch') return [name, { type, dims: [1], data: Uint8Array.of(1) }];
    const sizes = dims.map((dim, axis) =>
      typeof dim === 'number' ? dim : axis === 0 ? 1 : name.includes('.decoder.') ? 5 : 20,
    );
    const count = sizes.reduce((a, b) => a * b);
    const data = Float32Array.from({ length: count }, (_, at) => Math.sin(at * 0.7 + name.length));
    return [name, { type, dims: sizes, data }];
  };
  const [theirs, ours] = await Promise.all(
    [whole, step].map((session) => session.run(Object.fromEntries(session.inputs.map(feed)))),
  );
  for (const { name } of step.outputs) {
    const [expectedValues, values] = [theirs![name]!.data, ours![name]!.data] as Float32Array[];
    expect(values!.length, name).toBe(expectedValues!.length);
    const errors = values!.map((value, at) => Math.abs(value - expectedValues![at]!));
    expect(Math.max(...errors), name).toBeLessThan(1e-4);
  }
  await Promise.all([whole.release(), step.release()]);
});

it('computes where the tokens before a text look at the audio in one node, and the same values', async () => {
  const merged = readOnnxModel(readFileSync(join(tinyModels, 'tiny-whisper/onnx/decoder_model_merged.onnx')));
  const branch = takeBranch(merged.graph, 'use_cache_branch', false)!;
  const outputs = branch.outputs.filter(({ name }) => !name.startsWith('cross_attentions.'));
  const asked = pruneGraph({ ...branch, outputs });
  const fused = fuseWholeAttention(asked, { heads: decoderHeads, size: width / decoderHeads })!;
  // What a token sees of its own text, a mask says.
  for (const operator of ['MultiHeadAttention', 'Softmax'])
    expect(operatorsOf(fused).filter((one) => one === operator)).toHaveLength(2);
  const feeds = {
    input_ids: { type: 'int64', dims: [1, 3], data: BigInt64Array.of(7n, 9n, 11n) },
    encoder_hidden_states: {
      type: 'float32',
      dims: [1, 20, width],
      data: Float32Array.from({ length: 20 * width }, (_, at) => Math.sin(at * 0.7)),
    },
  } as const;
  const [theirs, ours] = await Promise.all(
    [branch, fused].map(async (graph) => {
      const bytes = writeOnnxModel({ ...merged, opsets: withContribDomain(merged.opsets), graph });
      const session = await createOnnxSession(bytes, { threads: 1 });
      const known = Object.entries(feeds).filter(([name]) =>
        session.inputs.some((input) => input.name === name),
      );
      const values = await session.run(Object.fromEntries(known));
      await session.release();
      return values;
    }),
  );
  for (const { name } of outputs) {
    const [expectedValues, values] = [theirs![name]!.data, ours![name]!.data] as Float32Array[];
    const errors = values!.map((value, at) => Math.abs(value - expectedValues![at]!));
    expect(Math.max(...errors), name).toBeLessThan(1e-4);
  }
});

it('leaves attention alone whose scores are an output', () => {
  const original = readOnnxFile(encoder).graph;
  const softmax = original.nodes.find(({ operator }) => operator === 'Softmax')!;
  const shown = tensorValue(softmax.outputs[0]!, elementTypes.float32, [1, 'heads', 'length', 'length']);
  const fused = fuseWholeAttention({ ...original, outputs: [...original.outputs, shown] }, attention)!;
  expect(operatorsOf(fused)).toContain('Softmax');
});
