import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { elementTypes } from '../../src/core/onnx/element-types.ts';
import type { OnnxModel } from '../../src/core/onnx/model.ts';
import { readOnnxModel, writeOnnxModel } from '../../src/core/onnx/messages.ts';
import { toModel } from '../../src/core/onnx/tensor-graphs.ts';
import { inlineTensor, int64Tensor } from '../../src/core/onnx/tensor-values.ts';
import { integerAttribute, integersAttribute, nodeOf, tensorValue } from '../../src/core/onnx/value.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { withQuickGraph } from '../../src/runtime/quick-graph.ts';

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

const folder = mkdtempSync(join(tmpdir(), 'convolutions-'));
afterAll(() => rmSync(folder, { recursive: true }));
let written = 0;

function write(model: OnnxModel | Uint8Array): string {
  const path = join(folder, `${written++}.onnx`);
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
  const { bytes } = withQuickGraph(path, { threads: 1 });
  const { nodes } = readOnnxModel(bytes!).graph;
  expect(nodes.map(({ operator }) => operator)).not.toContain('ConvInteger');
  const before = await run(path);
  expect(await run(bytes!, folder)).toEqual(before);
  expect(new Set(before).size).toBeGreaterThan(20);
});

it.each<[string, Rounded, Parameters<typeof withQuickGraph>[1]?]>([
  ['of another device', {}, { device: 'cuda' }],
  ['of signed weights', { type: 'int8' }],
])('convolutions of bytes stay: %s', (_name, convolution, options) => {
  const path = write(rounded(convolution));
  expect(withQuickGraph(path, options)).toEqual({ graph: path });
});

it('a graph without convolutions, one of an older version, and a file that is no graph, stay as they are', () => {
  const { graph, ...model } = rounded();
  const plain = write({ ...model, graph: { ...graph, nodes: graph.nodes.slice(0, 1) } });
  const old = write({ ...model, graph, opsets: [{ domain: '', version: 9 }] });
  const broken = write(readFileSync(write(rounded())).subarray(0, 100));
  for (const path of [plain, old, broken]) expect(withQuickGraph(path)).toEqual({ graph: path });
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
    const { bytes } = withQuickGraph(path, { threads: 1 });
    const { nodes } = readOnnxModel(bytes!).graph;
    const { inputs } = nodes.find(({ operator }) => operator === 'Conv')!;
    expect(inputs.length).toBe(hasBias ? 3 : 2);
    expect(nodes.map(({ operator }) => operator)).not.toContain('ConvTranspose');
    const [before, after] = [await run(path), await run(bytes!, folder)];
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
  expect(withQuickGraph(path, { threads })).toEqual({ graph: path });
});

interface Focus {
  readonly step?: number;
  /** Rows and columns at which the parts start, in their order. */
  readonly places: readonly (readonly [row: number, column: number])[];
  readonly attributes?: readonly ReturnType<typeof integersAttribute>[];
  /** Where slices end. */
  readonly end?: number;
  /** Whether one slice has both axes. */
  readonly isTogether?: boolean;
}

const image = { channels: 2, height: 12, width: 18 };

/** A convolution of the parts of an image as channels. */
function focused({
  step = 2,
  places,
  attributes = [],
  end = 2 ** 31 - 1,
  isTogether = false,
}: Focus): OnnxModel {
  const slices = places.flatMap(([row, column], at) => {
    const slice = (from: string, to: string, ...starts: string[]) => nodeOf('Slice', [from, ...starts], [to]);
    if (isTogether) return [slice('x', `p${at}`, `${row}${column}`, 'ends', 'axes', 'steps')];
    return [
      slice('x', `r${at}`, `s${row}`, 'end', 'rows', 'step'),
      slice(`r${at}`, `p${at}`, `s${column}`, 'end', 'columns', 'step'),
    ];
  });
  const from = Array.from({ length: step }, (_, start) => start);
  const channelCount = places.length * image.channels;
  const weight = Array.from({ length: 3 * channelCount * 9 }, (_, at) => Math.sin(at * 0.7));
  return toModel({
    nodes: [
      ...slices,
      nodeOf(
        'Concat',
        places.map((_, at) => `p${at}`),
        ['parts'],
        { attributes: [integerAttribute('axis', 1)] },
      ),
      nodeOf('Conv', ['parts', 'w', 'b'], ['y'], { attributes }),
    ],
    initializers: [
      inlineTensor('w', elementTypes.float32, [3, channelCount, 3, 3], floats(weight)),
      inlineTensor('b', elementTypes.float32, [3], floats([1, -2, 3])),
      int64Tensor('end', [end]),
      int64Tensor('ends', [end, end]),
      int64Tensor('rows', [2]),
      int64Tensor('columns', [3]),
      int64Tensor('axes', [2, 3]),
      int64Tensor('step', [step]),
      int64Tensor('steps', [step, step]),
      ...from.map((start) => int64Tensor(`s${start}`, [start])),
      ...from.flatMap((row) => from.map((column) => int64Tensor(`${row}${column}`, [row, column]))),
    ],
    inputs: [tensorValue('x', elementTypes.float32, [1, image.channels, 'height', 'width'])],
    outputs: [tensorValue('y', elementTypes.float32, [1, 3, 'rows', 'columns'])],
  });
}

const grid = (step: number): [number, number][] =>
  Array.from({ length: step * step }, (_, place) => [place % step, Math.floor(place / step)]);
const edges = integersAttribute('pads', [1, 0, 2, 1]);
it.each<[string, Focus]>([
  ['by columns, as YOLOX', { places: grid(2), attributes: [integersAttribute('pads', [1, 1, 1, 1])] }],
  ['in one slice each, in any order', { places: grid(2).toReversed(), isTogether: true }],
  ['strides and uneven pads', { places: grid(2), attributes: [edges, integersAttribute('strides', [1, 2])] }],
  ['every third row and column', { step: 3, places: grid(3), attributes: [edges] }],
])('a convolution of parts of an image keeps its values on the whole image: %s', async (_name, parts) => {
  const path = write(focused(parts));
  const { bytes } = withQuickGraph(path, { threads: 1 });
  expect(readOnnxModel(bytes!).graph.nodes.map(({ operator }) => operator)).not.toContain('Concat');
  const [before, after] = [await draw(path), await draw(bytes!)];
  expect(after.dims).toEqual(before.dims);
  for (const [at, value] of after.data.entries()) expect(value).toBeCloseTo(Number(before.data[at]), 4);
});

async function draw(model: string | Uint8Array) {
  const session = await createOnnxSession(model, { threads: 1, weightsFolder: folder });
  const { channels: count, height, width: columns } = image;
  const pixels = Float32Array.from({ length: count * height * columns }, (_, at) => Math.sin(at * 1.7));
  const { y } = await session.run({
    x: { type: 'float32', dims: [1, count, height, columns], data: pixels },
  });
  await session.release();
  return y!;
}

it.each<[string, Focus]>([
  ['a part twice', { places: [...grid(2).slice(0, 3), [0, 0]] }],
  ['a part missing', { places: grid(2).slice(0, 3) }],
  ['slices that end inside', { places: grid(2), end: 10 }],
  ['a dilation', { places: grid(2), attributes: [integersAttribute('dilations', [2, 2])] }],
  ['filters of their own', { places: grid(2), attributes: [integerAttribute('group', 2)] }],
])('a convolution of parts of an image stays: %s', (_name, parts) => {
  const path = write(focused(parts));
  expect(withQuickGraph(path, { threads: 1 })).toEqual({ graph: path });
});

interface Attention {
  /** Type in which the scale is computed. */
  readonly scaleType?: 'float32' | 'float16';
  /** The last dimension of the result. */
  readonly width?: number;
  /** The first dimension of the heads; default: that of the input. */
  readonly batch?: number;
  /** The first dimension of the result. */
  readonly resultBatch?: 'batch' | 'length';
  readonly isMasked?: boolean;
  readonly isConstant?: boolean;
  /** Scales the values too. */
  readonly scalesValues?: boolean;
}

const heads = { count: 2, size: 4, width: 8 };

/** Attention as PyTorch exports it, with two heads of four: its scale is computed from the shape of a query. */
function attention(options: Attention): OnnxModel {
  const { scaleType = 'float32', width: joined = heads.width, batch, isMasked = true } = options;
  const { isConstant = false, scalesValues = false, resultBatch = 'batch' } = options;
  const cast = (from: string, to: string) =>
    nodeOf('Cast', [from], [to], { attributes: [integerAttribute('to', elementTypes[scaleType])] });
  const transpose = (from: string, to: string, ...perm: number[]) =>
    nodeOf('Transpose', [from], [to], { attributes: [integersAttribute('perm', perm)] });
  const concat = (inputs: readonly string[], to: string) =>
    nodeOf('Concat', inputs, [to], { attributes: [integerAttribute('axis', 0)] });
  const dimension = (axis: 'zero' | 'one', to: string) => [
    nodeOf('Shape', ['x'], [`${to}s`]),
    nodeOf('Gather', [`${to}s`, axis], [`${to}g`], { attributes: [integerAttribute('axis', 0)] }),
    nodeOf('Unsqueeze', [`${to}g`, 'firstAxis'], [to]),
  ];
  const operand = (name: string, ...perm: number[]) => [
    nodeOf('MatMul', ['x', `w${name}`], [`${name}m`]),
    concat([batch === undefined ? 'batch' : 'fixed', 'rest', 'heads', 'size'], `${name}t`),
    nodeOf('Reshape', [`${name}m`, `${name}t`], [`${name}r`]),
    transpose(`${name}r`, `${name}h`, ...perm),
  ];
  const computed = isConstant
    ? []
    : [
        nodeOf('Shape', ['qh'], ['qs']),
        nodeOf('Slice', ['qs', 'last', 'end'], ['qd']),
        cast('qd', 'qc'),
        nodeOf('Sqrt', ['qc'], ['root']),
        nodeOf('Div', ['unit', 'root'], ['quotient']),
        cast('quotient', 'again'),
        nodeOf('Sqrt', ['again'], ['half']),
      ];
  const wave = (at: number): number => Math.sin(at * 0.7);
  const weight = (name: string, seed: number) =>
    inlineTensor(
      `w${name}`,
      elementTypes.float32,
      [heads.width, heads.width],
      floats(Array.from({ length: heads.width ** 2 }, (_, at) => wave(at + seed))),
    );
  const one = inlineTensor('unit', elementTypes.float32, [1], floats([1]));
  return toModel({
    nodes: [
      ...dimension('zero', 'batch'),
      ...dimension('one', 'length'),
      ...operand('q', 0, 2, 1, 3),
      ...operand('k', 0, 2, 3, 1),
      ...operand('v', 0, 2, 1, 3),
      ...computed,
      nodeOf('Mul', ['qh', 'half'], ['ql']),
      nodeOf('Mul', ['kh', 'half'], ['kl']),
      nodeOf('MatMul', ['ql', 'kl'], ['scores']),
      ...(isMasked ? [nodeOf('Add', ['scores', 'mask'], ['masked'])] : []),
      nodeOf('Softmax', [isMasked ? 'masked' : 'scores'], ['shares'], {
        attributes: [integerAttribute('axis', -1)],
      }),
      ...(scalesValues ? [nodeOf('Mul', ['vh', 'half'], ['vl'])] : []),
      nodeOf('MatMul', ['shares', scalesValues ? 'vl' : 'vh'], ['sums']),
      transpose('sums', 'turned', 0, 2, 1, 3),
      concat([resultBatch, isMasked ? 'length' : 'rest', 'width'], 'target'),
      nodeOf('Reshape', ['turned', 'target'], ['y']),
    ],
    initializers: [
      ...['q', 'k', 'v'].map((name, at) => weight(name, at * 5)),
      one,
      ...(isConstant ? [{ ...one, name: 'half' }] : []),
      int64Tensor('zero', [0], []),
      int64Tensor('one', [1], []),
      int64Tensor('firstAxis', [0]),
      int64Tensor('rest', [-1]),
      int64Tensor('heads', [heads.count]),
      int64Tensor('size', [heads.size]),
      int64Tensor('last', [-1]),
      int64Tensor('end', [2 ** 31]),
      int64Tensor('width', [joined]),
      int64Tensor('fixed', [batch ?? 0]),
    ],
    inputs: [
      tensorValue('x', elementTypes.float32, ['batch', 'length', heads.width]),
      tensorValue('mask', elementTypes.float32, ['batch', 1, 1, 'length']),
    ],
    outputs: [tensorValue('y', elementTypes.float32, ['batch', 'length', heads.width])],
  });
}

it.each<[string, Attention]>([
  ['with a mask', {}],
  ['without one', { isMasked: false }],
])('the scale and shapes of attention become constants, and the values stay: %s', async (_name, options) => {
  const path = write(attention(options));
  const { bytes } = withQuickGraph(path, { threads: 1 });
  const operators = readOnnxModel(bytes!).graph.nodes.map(({ operator }) => operator);
  expect(operators.filter((one) => /^Shape|Sqrt|Concat/.test(one))).toEqual([]);
  const [batch, tokens] = [2, 5];
  const states = Float32Array.from({ length: batch * tokens * heads.width }, (_, at) => Math.sin(at * 1.3));
  const mask = Float32Array.from({ length: batch * tokens }, (_, at) => (at === 9 ? -1e9 : 0));
  const [before, after] = await Promise.all(
    [path, bytes!].map(async (model) => {
      const session = await createOnnxSession(model, { threads: 1, weightsFolder: folder });
      const { y } = await session.run({
        x: { type: 'float32', dims: [batch, tokens, heads.width], data: states },
        mask: { type: 'float32', dims: [batch, 1, 1, tokens], data: mask },
      });
      await session.release();
      return y!;
    }),
  );
  expect(after!.dims).toEqual(before!.dims);
  for (const [at, value] of after!.data.entries()) expect(value).toBeCloseTo(Number(before!.data[at]), 5);
});

it.each<[string, Attention]>([
  ['a constant scale', { isConstant: true }],
  ['a scale in half precision', { scaleType: 'float16' }],
  ['a result of another width', { width: -1 }],
  ['a batch of a fixed size', { batch: 1 }],
  ['a result whose texts are joined', { resultBatch: 'length' }],
  ['scaled values', { scalesValues: true }],
])('attention with %s stays as it is', (_name, options) => {
  const path = write(attention(options));
  expect(withQuickGraph(path, { threads: 1 })).toEqual({ graph: path });
});
