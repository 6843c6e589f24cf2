import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { elementTypes } from '../../src/core/onnx/element-types.ts';
import type { OnnxModel } from '../../src/core/onnx/model.ts';
import { readOnnxModel, writeOnnxModel } from '../../src/core/onnx/messages.ts';
import { toModel } from '../../src/core/onnx/tensor-graphs.ts';
import { inlineTensor } from '../../src/core/onnx/tensor-values.ts';
import { integerAttribute, integersAttribute, nodeOf, tensorValue } from '../../src/core/onnx/value.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { withQuickConvolutions } from '../../src/runtime/quick-convolutions.ts';

const [channels, width, length] = [8, 3, 20];
const scale = 0.01;
const zero = 120;
const weights = Uint8Array.from({ length: 4 * channels * width }, (_, at) => (at * 89) % 256);
const biases = Int32Array.from({ length: 4 }, (_, at) => at * 1000 - 1500);
const floats = (values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);

interface Rounded {
  readonly hasBias?: boolean;
  readonly attributes?: readonly ReturnType<typeof integersAttribute>[];
  readonly type?: keyof typeof elementTypes;
}

/** Four filters over eight channels, as `quantize_dynamic` writes them. */
function rounded({ hasBias = true, attributes = [], type = 'uint8' }: Rounded = {}): OnnxModel {
  const sum = hasBias ? 'biased' : 'sums';
  return toModel({
    nodes: [
      nodeOf('DynamicQuantizeLinear', ['x'], ['xq', 'xs', 'xz']),
      nodeOf('ConvInteger', ['xq', 'w', 'xz', 'wz'], ['sums'], { attributes }),
      ...(hasBias ? [nodeOf('Add', ['sums', 'b'], ['biased'])] : []),
      nodeOf('Cast', [sum], ['wide'], { attributes: [integerAttribute('to', elementTypes.float32)] }),
      nodeOf('Mul', ['xs', 'ws'], ['scale']),
      nodeOf('Mul', ['wide', 'scale'], ['y']),
    ],
    initializers: [
      inlineTensor('w', elementTypes[type], [4, channels, width], weights),
      inlineTensor('wz', elementTypes[type], [], Uint8Array.of(zero)),
      inlineTensor('ws', elementTypes.float32, [], floats([scale])),
      inlineTensor('b', elementTypes.int32, [4, 1], new Uint8Array(biases.buffer)),
    ],
    inputs: [tensorValue('x', elementTypes.float32, [1, channels, length])],
    outputs: [tensorValue('y', elementTypes.float32, [1, 4, 'time'])],
  });
}

const x = Float32Array.from({ length: channels * length }, (_, at) => Math.sin(at * 1.7));

async function run(model: string | Uint8Array, weightsFolder?: string): Promise<Float32Array> {
  const session = await createOnnxSession(model, { threads: 1, weightsFolder });
  const { y } = await session.run({ x: { type: 'float32', dims: [1, channels, length], data: x } });
  await session.release();
  return y!.data as Float32Array;
}

function write(model: OnnxModel | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'convolutions-')), 'model.onnx');
  writeFileSync(path, model instanceof Uint8Array ? model : writeOnnxModel(model));
  return path;
}

const pads = integersAttribute('pads', [1, 1]);
it.each<[string, Rounded]>([
  ['plain', {}],
  ['with pads and without a bias', { hasBias: false, attributes: [pads] }],
  [
    'with strides and a dilation',
    {
      attributes: [
        integersAttribute('pads', [4, 3]),
        integersAttribute('strides', [2]),
        integersAttribute('dilations', [3]),
        integerAttribute('group', 1),
      ],
    },
  ],
])('convolutions of bytes become products, to the bit: %s', async (_name, convolution) => {
  const path = write(rounded(convolution));
  const { graph, bytes } = withQuickConvolutions(path, { threads: 1 });
  const { nodes } = readOnnxModel(bytes!).graph;
  expect(nodes.map(({ operator }) => operator)).not.toContain('ConvInteger');
  const before = await run(path);
  expect(await run(bytes!, join(graph, '..'))).toEqual(before);
  expect(new Set(before).size).toBeGreaterThan(20);
});

it.each<[string, Rounded, Parameters<typeof withQuickConvolutions>[1]?]>([
  ['of another device', {}, { device: 'cuda' }],
  ['of signed weights', { type: 'int8' }],
])('convolutions of bytes stay: %s', (_name, convolution, options) => {
  const path = write(rounded(convolution));
  expect(withQuickConvolutions(path, options)).toEqual({ graph: path });
});

it('a graph without convolutions, one of an older version, and a file that is no graph, stay as they are', () => {
  const { graph, ...model } = rounded();
  const plain = write({ ...model, graph: { ...graph, nodes: graph.nodes.slice(0, 1) } });
  const old = write({ ...model, graph, opsets: [{ domain: '', version: 9 }] });
  const broken = write(readFileSync(write(rounded())).subarray(0, 100));
  for (const path of [plain, old, broken]) expect(withQuickConvolutions(path)).toEqual({ graph: path });
});

interface OverTime {
  readonly operator?: 'Conv' | 'ConvTranspose';
  /** Of the weights. */
  readonly dims: readonly [number, number, number];
  readonly attributes?: Parameters<typeof nodeOf>[3];
}

/** The graph of a convolution over time, with weights and biases from a wave. */
function overTime({ operator = 'Conv', dims, attributes = {} }: OverTime, hasBias = true): OnnxModel {
  const filters = operator === 'Conv' ? dims[0] : dims[1];
  const count = dims[0] * dims[1] * dims[2];
  const wave = (values: number, step: number): Uint8Array =>
    floats(Array.from({ length: values }, (_, at) => Math.sin(at * step)));
  return toModel({
    nodes: [nodeOf(operator, ['x', 'w', ...(hasBias ? ['b'] : [])], ['y'], attributes)],
    initializers: [
      inlineTensor('w', elementTypes.float32, dims, wave(count, 0.7)),
      inlineTensor('b', elementTypes.float32, [filters], wave(filters, 1.3)),
    ],
    inputs: [tensorValue('x', elementTypes.float32, [1, channels, length])],
    outputs: [tensorValue('y', elementTypes.float32, [1, filters, 'time'])],
  });
}

const conv = (...attributes: ReturnType<typeof integersAttribute>[]): OverTime['attributes'] => ({
  attributes,
});

it.each<[string, OverTime, ...string[]]>([
  ['a convolution', { dims: [16, channels, 3], attributes: conv(pads) }],
  [
    'strides and uneven pads',
    {
      dims: [16, channels, 5],
      attributes: conv(integersAttribute('pads', [3, 1]), integersAttribute('strides', [2])),
    },
  ],
  ['a dilation', { dims: [32, channels, 3], attributes: conv(integersAttribute('dilations', [4])) }],
  ['groups', { dims: [16, 2, 3], attributes: conv(pads, integerAttribute('group', 4)) }],
  [
    'a transposed convolution',
    {
      operator: 'ConvTranspose',
      dims: [channels, 4, 16],
      attributes: conv(integersAttribute('pads', [4, 4]), integersAttribute('strides', [8])),
    },
  ],
  [
    'a transposed one with uneven pads',
    {
      operator: 'ConvTranspose',
      dims: [channels, 6, 9],
      attributes: conv(integersAttribute('pads', [2, 0]), integersAttribute('strides', [3])),
    },
  ],
])('%s over time keeps its values as a spatial one', async (_name, convolution) => {
  for (const hasBias of [true, false]) {
    const path = write(overTime(convolution, hasBias));
    const { graph, bytes } = withQuickConvolutions(path, { threads: 1 });
    const { nodes } = readOnnxModel(bytes!).graph;
    const { inputs } = nodes.find(({ operator }) => operator === 'Conv')!;
    expect(inputs.length).toBe(hasBias ? 3 : 2);
    expect(nodes.map(({ operator }) => operator)).not.toContain('ConvTranspose');
    const [before, after] = [await run(path), await run(bytes!, join(graph, '..'))];
    expect(after.length).toBe(before.length);
    for (const [at, value] of after.entries()) expect(value).toBeCloseTo(before[at]!, 4);
  }
});

const padded = {
  name: 'auto_pad',
  value: { type: 'text', value: Buffer.from('SAME_UPPER') },
  unknown: [],
} as const;
const doubling = integersAttribute('strides', [2]);
it.each<[string, OverTime, number?]>([
  ['too few filters', { dims: [8, channels, 3] }],
  ['too few filters for two threads', { dims: [64, channels, 3] }, 2],
  ['filters of one step', { dims: [16, channels, 1] }],
  ['pads that the runtime chooses', { dims: [16, channels, 3], attributes: { attributes: [padded] } }],
  [
    'a stride that does not divide the filters',
    { operator: 'ConvTranspose', dims: [channels, 8, 5], attributes: conv(doubling) },
  ],
  [
    'more outputs at the end',
    {
      operator: 'ConvTranspose',
      dims: [channels, 8, 4],
      attributes: conv(doubling, integersAttribute('output_padding', [1])),
    },
  ],
  [
    'groups of a transposed convolution',
    {
      operator: 'ConvTranspose',
      dims: [channels, 8, 4],
      attributes: conv(doubling, integerAttribute('group', 2)),
    },
  ],
])('a convolution over time with %s stays as it is', (_name, convolution, threads = 1) => {
  const path = write(overTime(convolution));
  expect(withQuickConvolutions(path, { threads })).toEqual({ graph: path });
});
