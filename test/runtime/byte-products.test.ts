import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { integerAttribute } from '../../src/core/onnx/attributes.ts';
import { elementTypes } from '../../src/core/onnx/element-types.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from '../../src/core/onnx/model.ts';
import { computeByBlocks } from '../../src/core/onnx/rewrites/block-products.ts';
import { tensorValue } from '../../src/core/onnx/value.ts';
import { writeOnnxModel } from '../../src/core/onnx/write-model.ts';
import { withByteProducts } from '../../src/runtime/byte-products.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';

const [size, columns, rows] = [128, 24, 3] as const;
const folder = mkdtempSync(join(tmpdir(), 'byte-products-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One activation is far larger than the others, as in encoders of speech: one scale for all of them has little room for the others. */
const x = Float32Array.from({ length: rows * size }, (_, at) => (at === 7 ? 60 : Math.sin(at * 1.7)));

interface Weights {
  readonly signed: boolean;
  /** Of each column, or one for all. */
  readonly scales: readonly number[];
  readonly zeroPoints: readonly number[];
}

const cases: Readonly<Record<string, Weights>> = {
  'one scale, no sign': { signed: false, scales: [0.02], zeroPoints: [120] },
  'one scale, signed': { signed: true, scales: [0.02], zeroPoints: [-3] },
  'a scale for each column': {
    signed: true,
    scales: Array.from({ length: columns }, (_, column) => 0.01 + column / 1000),
    zeroPoints: Array.from({ length: columns }, (_, column) => column % 5),
  },
};

const byteAt = (row: number, column: number, signed: boolean): number =>
  ((row * 37 + column * 101 + row * column) % 256) - (signed ? 128 : 0);

function expected({ signed, scales, zeroPoints }: Weights): number[] {
  return Array.from({ length: rows * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    let sum = 0;
    for (let inner = 0; inner < size; inner++) {
      const weight = byteAt(inner, column, signed) - (zeroPoints[column] ?? zeroPoints[0]!);
      sum += x[row * size + inner]! * weight * (scales[column] ?? scales[0]!);
    }
    return sum;
  });
}

const node = (
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly OnnxAttribute[] = [],
): OnnxNode => ({ name: '', operator, domain: '', inputs, outputs, attributes, unknown: [] });

const constant = (
  name: string,
  elementType: number,
  dims: readonly number[],
  array: ArrayBufferView,
): OnnxTensor => ({
  name,
  elementType,
  dims,
  data: { place: 'inline', bytes: new Uint8Array(array.buffer) },
  unknown: [],
});

const graphOf = (name: string, nodes: readonly OnnxNode[], outputs: readonly string[]): OnnxGraph => ({
  name,
  nodes,
  initializers: [],
  inputs: [],
  outputs: outputs.map((output) => tensorValue(output, elementTypes.float32, ['rows', columns])),
  values: [],
  unknown: [],
});

/** As a merged decoder of the hub has it: the weights outside, a product in each branch; `y` by whole numbers or by floats. */
function model({ signed, scales, zeroPoints }: Weights, isFloat: boolean): OnnxModel {
  const type = signed ? elementTypes.int8 : elementTypes.uint8;
  const Bytes = signed ? Int8Array : Uint8Array;
  const at = (index: number): number =>
    isFloat
      ? byteAt(index % size, Math.floor(index / size), signed)
      : byteAt(Math.floor(index / columns), index % columns, signed);
  const bytes = Bytes.from(Array.from({ length: size * columns }, (_, index) => at(index)));
  const dims = scales.length === 1 ? [] : [columns];
  const products = isFloat
    ? [
        node('Transpose', ['w'], ['turned']),
        node('DequantizeLinear', ['turned', 's', 'z'], ['floats']),
        node('MatMul', ['x', 'floats'], ['y']),
      ]
    : [
        node('MatMulInteger', ['q', 'w', 'qz', 'z'], ['whole']),
        node('Cast', ['whole'], ['cast'], [integerAttribute('to', elementTypes.float32)]),
        node('Mul', ['qs', 's'], ['both']),
        node('Mul', ['cast', 'both'], ['y']),
      ];
  const branch = (name: string): OnnxAttribute => ({
    name,
    value: { type: 'graph', value: graphOf(name, products, ['y']) },
    unknown: [],
  });
  const main = graphOf(
    'main',
    [
      node('DynamicQuantizeLinear', ['x'], ['q', 'qs', 'qz']),
      node('If', ['first'], ['y'], [branch('then_branch'), branch('else_branch')]),
    ],
    ['y'],
  );
  return {
    irVersion: 9,
    producerName: '',
    producerVersion: '',
    opsets: [
      { domain: '', version: 17 },
      { domain: 'com.microsoft', version: 1 },
    ],
    metadata: new Map(),
    unknown: [],
    graph: {
      ...main,
      initializers: [
        constant('w', type, isFloat ? [columns, size] : [size, columns], bytes),
        constant('s', elementTypes.float32, dims, Float32Array.from(scales)),
        constant('z', type, dims, Bytes.from(zeroPoints)),
      ],
      inputs: [
        tensorValue('x', elementTypes.float32, ['rows', size]),
        tensorValue('first', elementTypes.bool, [1]),
      ],
    },
  };
}

async function run(graph: string | Uint8Array, first: boolean): Promise<Float32Array> {
  const session = await createOnnxSession(graph, { threads: 1, weightsFolder: folder });
  try {
    const outputs = await session.run({
      x: { type: 'float32', dims: [rows, size], data: x },
      first: { type: 'bool', dims: [1], data: Uint8Array.of(first ? 1 : 0) },
    });
    return outputs['y']!.data as Float32Array;
  } finally {
    await session.release();
  }
}

/** Root mean square of the differences over that of the values, in the rows without the large one. */
function relativeError(actual: Float32Array, wanted: readonly number[]): number {
  const square = (values: readonly number[]): number => values.reduce((sum, value) => sum + value * value, 0);
  const others = wanted.slice(columns);
  return Math.sqrt(square(others.map((value, at) => value - actual[columns + at]!)) / square(others));
}

it.each(Object.entries(cases))('computes products with integers more exactly: %s', async (_, weights) => {
  const original = model(weights, false);
  const graph = computeByBlocks(original.graph)!;
  const wanted = expected(weights);
  const before = relativeError(await run(writeOnnxModel(original), true), wanted);
  for (const first of [true, false]) {
    const after = relativeError(await run(writeOnnxModel({ ...original, graph }), first), wanted);
    expect(after).toBeLessThan(before / 5);
    expect(after).toBeLessThan(0.02);
  }
  // Nothing is left of what quantized the whole tensor.
  expect(graph.nodes.map(({ operator }) => operator)).toEqual(['If']);
});

it.each(Object.entries(cases).filter(([, { scales }]) => scales.length === 1))(
  'computes products with floats that were integers: %s',
  async (_, weights) => {
    const original = model(weights, true);
    const graph = computeByBlocks(original.graph)!;
    const bytes = writeOnnxModel({ ...original, graph });
    for (const first of [true, false]) {
      expect(relativeError(await run(bytes, first), expected(weights))).toBeLessThan(0.02);
    }
  },
);

it('maps the weights from the file, and leaves other graphs as they are', async () => {
  const weights = cases['one scale, no sign']!;
  const path = join(folder, 'model.onnx');
  writeFileSync(path, writeOnnxModel(model(weights, true)));
  const { graph, bytes } = await withByteProducts(path);
  expect(relativeError(await run(bytes ?? graph, true), expected(weights))).toBeLessThan(0.02);
  const plain = model(weights, true);
  const other = join(folder, 'other.onnx');
  writeFileSync(other, writeOnnxModel({ ...plain, graph: { ...plain.graph, initializers: [], nodes: [] } }));
  expect(await withByteProducts(other)).toEqual({ graph: other });
});

it.each<[string, (model: OnnxModel) => OnnxModel]>([
  [
    'weights that are no constants',
    (one) => ({ ...one, graph: { ...one.graph, initializers: one.graph.initializers.slice(1) } }),
  ],
  [
    'a number of rows that makes no whole blocks',
    (one) => ({
      ...one,
      graph: {
        ...one.graph,
        initializers: one.graph.initializers.map((each) =>
          each.name === 'w' ? { ...each, dims: [columns, 100] } : each,
        ),
      },
    }),
  ],
])('leaves alone %s', (_, change) => {
  for (const isFloat of [true, false]) {
    const { graph } = change(model(cases['one scale, no sign']!, isFloat));
    const turned = isFloat
      ? graph
      : {
          ...graph,
          initializers: graph.initializers.map((each) => ({ ...each, dims: each.dims.toReversed() })),
        };
    expect(computeByBlocks(turned)).toBeUndefined();
  }
});
