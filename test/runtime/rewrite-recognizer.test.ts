import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { elementTypes } from '../../src/core/onnx/element-types.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from '../../src/core/onnx/model.ts';
import { computeByBlocks } from '../../src/core/onnx/rewrites/block-products.ts';
import { fuseWholeAttention } from '../../src/core/onnx/rewrites/whole-attention.ts';
import { scoreInTwoStages } from '../../src/core/onnx/rewrites/two-stage-scores.ts';
import { signWeights } from '../../src/core/onnx/rewrites/signed-weights.ts';
import { takeBranch } from '../../src/core/onnx/rewrites/take-branch.ts';
import { keepLastPositions } from '../../src/core/onnx/rewrites/rewrite-nodes.ts';
import { tensorValue } from '../../src/core/onnx/value.ts';
import { writeOnnxModel } from '../../src/core/onnx/write-model.ts';
import { rewriteRecognizer } from '../../src/runtime/rewrite-recognizer.ts';
import { measuredByteKernels, type ByteKernels } from '../../src/runtime/byte-kernels.ts';
import { readOnnxFile } from '../../src/runtime/onnx-file.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';

const [size, columns, rows] = [128, 24, 3] as const;
const [scale, zeroPoint] = [0.02, 120] as const;
const folder = mkdtempSync(join(tmpdir(), 'byte-products-'));
afterAll(() => rmSync(folder, { recursive: true }));

const x = Float32Array.from({ length: rows * size }, (_, at) => Math.sin(at * 1.7));
const byteAt = (row: number, column: number): number => (row * 37 + column * 101 + row * column) % 256;

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
  outputs: [tensorValue('y', elementTypes.float32, [1, 'rows', columns])],
  values: [],
  unknown: [],
});

/** As a merged decoder of the hub has it: the weights outside, a product in each branch. */
function model(isTransposed: boolean, dims: readonly number[] = []): OnnxModel {
  const products = [
    ...(isTransposed ? [node('Transpose', ['w'], ['turned'])] : []),
    node('DequantizeLinear', [isTransposed ? 'turned' : 'w', 's', 'z'], ['floats']),
    node('MatMul', ['x', 'floats'], ['y']),
  ];
  const branch = (name: string): OnnxAttribute => ({
    name,
    value: { type: 'graph', value: graphOf(name, products) },
    unknown: [],
  });
  const bytes = Uint8Array.from({ length: size * columns }, (_, index) =>
    isTransposed
      ? byteAt(index % size, Math.floor(index / size))
      : byteAt(Math.floor(index / columns), index % columns),
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
        { ...node('If', ['first'], ['y']), attributes: [branch('then_branch'), branch('else_branch')] },
      ]),
      initializers: [
        constant('w', elementTypes.uint8, isTransposed ? [columns, size] : [size, columns], bytes),
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
    const { y } = await session.run({
      x: { type: 'float32', dims: [1, rows, size], data: x },
      first: { type: 'bool', dims: [1], data: Uint8Array.of(first ? 1 : 0) },
    });
    return y!.data as Float32Array;
  } finally {
    await session.release();
  }
}

/** @returns root mean square of the differences over that of the values */
async function errorOf(graph: string | Uint8Array, first: boolean): Promise<number> {
  const actual = await run(graph, first);
  const square = (values: readonly number[]): number => values.reduce((sum, one) => sum + one * one, 0);
  return Math.sqrt(square(expected.map((value, at) => value - actual[at]!)) / square(expected));
}

function operatorsOf({ nodes }: OnnxGraph): string[] {
  return nodes.flatMap(({ operator, attributes }) => [
    operator,
    ...attributes.flatMap(({ value }) => (value.type === 'graph' ? operatorsOf(value.value) : [])),
  ]);
}

it.each([true, false])(
  'computes products in both branches by blocks; transposed: %s',
  async (isTransposed) => {
    const original = model(isTransposed);
    const graph = computeByBlocks(original)!;
    const operators = operatorsOf(graph);
    expect(operators.filter((one) => one === 'MatMulNBits')).toHaveLength(2);
    expect(operators).not.toContain('DequantizeLinear');
    const bytes = writeOnnxModel({ ...original, graph });
    for (const first of [true, false]) expect(await errorOf(bytes, first)).toBeLessThan(1e-3);
  },
);

const kernels: ByteKernels = { areFastByBlocks: async () => true, areExactWithSigns: async () => true };

it('maps the weights from the file, and leaves other graphs as they are', async () => {
  const path = join(folder, 'model.onnx');
  const original = model(true);
  writeFileSync(path, writeOnnxModel(original));
  const { graph, bytes } = await rewriteRecognizer(path, { device: 'cpu', kernels });
  expect(await errorOf(bytes ?? graph, true)).toBeLessThan(1e-3);
  const other = join(folder, 'other.onnx');
  writeFileSync(other, writeOnnxModel({ ...original, graph: { ...original.graph, nodes: [] } }));
  expect(await rewriteRecognizer(other, { device: 'cpu', kernels })).toEqual({ graph: other });
});

it('leaves products as they are where the processor has no kernels for bytes', async () => {
  const path = join(folder, 'slow.onnx');
  writeFileSync(path, writeOnnxModel(model(true)));
  const rewritten = await rewriteRecognizer(path, {
    device: 'cpu',
    kernels: { ...kernels, areFastByBlocks: async () => false },
  });
  expect(rewritten).toEqual({ graph: path });
});

it('takes one branch of a merged graph, with the inputs and outputs that it has', async () => {
  const { graph, ...others } = model(true);
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
        outputs: ['y', 'heard'],
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
    const { y, heard } = await session.run(isTrue ? { x: feeds.x } : feeds);
    await session.release();
    const names = [...session.inputs, ...session.outputs].map(({ name }) => name);
    return { names, y: [...(y!.data as Float32Array)], heard: heard?.data[0] };
  };
  const [withCaches, without] = [await runBranch(true), await runBranch(false)];
  expect(withCaches).toEqual({ names: ['x', 'y'], y: expect.any(Array), heard: undefined });
  expect(without.names).toEqual(['x', 'sound', 'y', 'heard']);
  expect(without.y).toEqual(withCaches.y.map((each) => -each));
  expect(without.heard).toBeCloseTo(5.1 / 255, 5);
  expect(takeBranch(merged, 'x', true)).toBeUndefined();
});

it('scores the last positions alone', async () => {
  const original = model(true);
  const short = { ...original, graph: keepLastPositions(original.graph, 'y', 2)! };
  const [all, last] = [original, short].map((one) =>
    writeOnnxModel({ ...one, graph: computeByBlocks(one)! }),
  ) as [Uint8Array, Uint8Array];
  for (const first of [true, false]) {
    expect(await run(last, first)).toEqual((await run(all, first)).slice(columns));
  }
  expect(keepLastPositions(original.graph, 'logits', 2)).toBeUndefined();
});

it.each<[string, OnnxModel]>([
  [
    'weights that are no constants',
    {
      ...model(true),
      graph: { ...model(true).graph, initializers: model(true).graph.initializers.slice(1) },
    },
  ],
  ['a scale for each row', model(true, [2])],
  ['an older version of the operators', { ...model(true), opsets: [{ domain: '', version: 17 }] }],
  [
    'rows that make no whole blocks',
    {
      ...model(true),
      graph: {
        ...model(true).graph,
        initializers: model(true).graph.initializers.map((each) =>
          each.name === 'w' ? { ...each, dims: [columns, 100] } : each,
        ),
      },
    },
  ],
])('leaves alone %s', (_, given) => {
  expect(computeByBlocks(given)).toBeUndefined();
});

it('scores in two stages: the likeliest exactly, all nearly', async () => {
  const [tokens, wide] = [8192, 64];
  const noise = (at: number): number => ((Math.sin(at * 12.9898) * 43_758.5453) % 1) / 2;
  const table = Float32Array.from({ length: tokens * wide }, (_, at) => noise(at));
  const given = Float32Array.from({ length: 2 * wide }, (_, at) => Math.cos(at * 2.1));
  const original: OnnxModel = {
    ...model(true),
    graph: {
      ...graphOf('scores', [
        node('Transpose', ['table'], ['turned']),
        node('MatMul', ['x', 'turned'], ['y']),
      ]),
      initializers: [constant('table', elementTypes.float32, [tokens, wide], table)],
      inputs: [tensorValue('x', elementTypes.float32, [1, 'rows', wide])],
      outputs: [tensorValue('y', elementTypes.float32, [1, 'rows', tokens])],
    },
  };
  const graph = scoreInTwoStages(original, 'y')!;
  const scoresOf = async (one: OnnxModel): Promise<Float32Array> => {
    const session = await createOnnxSession(writeOnnxModel(one), { threads: 1 });
    const { y } = await session.run({ x: { type: 'float32', dims: [1, 2, wide], data: given } });
    await session.release();
    return y!.data as Float32Array;
  };
  const [exact, staged] = [await scoresOf(original), await scoresOf({ ...original, graph })];
  for (const row of [0, 1]) {
    const [theirs, ours] = [exact, staged].map((all) => all.subarray(row * tokens, (row + 1) * tokens));
    const order = [...theirs!.keys()].sort((a, b) => theirs![b]! - theirs![a]!);
    const errors = order.map((token) => Math.abs(ours![token]! - theirs![token]!));
    expect(Math.max(...errors.slice(0, 10))).toBeLessThan(1e-4);
    expect(Math.max(...errors)).toBeLessThan(0.2);
    expect(Math.max(...errors)).toBeGreaterThan(1e-4);
  }
  expect(scoreInTwoStages(original, 'x')).toBeUndefined();
  expect(scoreInTwoStages({ ...original, opsets: [{ domain: '', version: 17 }] }, 'y')).toBeUndefined();
});

it('gives whole products signed weights, and the same values', async () => {
  const bytes = Uint8Array.from({ length: size * columns }, (_, at) => (at * 89) % 256);
  const given = Uint8Array.from({ length: size }, (_, at) => (at * 57) % 256);
  const original: OnnxModel = {
    ...model(true),
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

const tinyModels = dirname(fileURLToPath(import.meta.resolve('@slashv1/tiny-models/package.json')));
const { d_model: width, encoder_attention_heads: heads } = JSON.parse(
  readFileSync(join(tinyModels, 'tiny-whisper/config.json'), 'utf8'),
);
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

it('leaves attention alone whose scores are an output', () => {
  const original = readOnnxFile(encoder).graph;
  const softmax = original.nodes.find(({ operator }) => operator === 'Softmax')!;
  const shown = tensorValue(softmax.outputs[0]!, elementTypes.float32, [1, 'heads', 'length', 'length']);
  const fused = fuseWholeAttention({ ...original, outputs: [...original.outputs, shown] }, attention)!;
  expect(operatorsOf(fused)).toContain('Softmax');
});
