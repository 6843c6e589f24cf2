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
import { measuredByteKernels, type ByteKernels } from '../../src/runtime/byte-kernels.ts';
import { withQuickConvolutions } from '../../src/runtime/quick-convolutions.ts';

const [channels, width, length] = [8, 3, 20];
const scale = 0.01;
const zero = 120;
const weights = Uint8Array.from({ length: 4 * channels * width }, (_, at) => (at * 89) % 256);
const biases = Int32Array.from({ length: 4 }, (_, at) => at * 1000 - 1500);
const floats = (values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);

/** Four filters over the halves of eight channels, as `quantize_dynamic` writes them. */
function rounded(hasBias: boolean): OnnxModel {
  const sum = hasBias ? 'biased' : 'sums';
  return toModel({
    nodes: [
      nodeOf('DynamicQuantizeLinear', ['x'], ['xq', 'xs', 'xz']),
      nodeOf('ConvInteger', ['xq', 'w', 'xz', 'wz'], ['sums'], {
        attributes: [
          integersAttribute('pads', [1, 1]),
          integersAttribute('strides', [2]),
          integerAttribute('group', 1),
        ],
      }),
      ...(hasBias ? [nodeOf('Add', ['sums', 'b'], ['biased'])] : []),
      nodeOf('Cast', [sum], ['wide'], { attributes: [integerAttribute('to', elementTypes.float32)] }),
      nodeOf('Mul', ['xs', 'ws'], ['scale']),
      nodeOf('Mul', ['wide', 'scale'], ['y']),
    ],
    initializers: [
      inlineTensor('w', elementTypes.uint8, [4, channels, width], weights),
      inlineTensor('wz', elementTypes.uint8, [], Uint8Array.of(zero)),
      inlineTensor('ws', elementTypes.float32, [], floats([scale])),
      inlineTensor('b', elementTypes.int32, [4, 1], new Uint8Array(biases.buffer)),
    ],
    inputs: [tensorValue('x', elementTypes.float32, [1, channels, length])],
    outputs: [tensorValue('y', elementTypes.float32, [1, 4, length / 2])],
  });
}

const kernels = (areFast: boolean): ByteKernels => ({
  ...measuredByteKernels,
  areFastConvolutions: async () => areFast,
});
const x = Float32Array.from({ length: channels * length }, (_, at) => Math.sin(at * 1.7));

async function run(model: string | Uint8Array, weightsFolder?: string): Promise<Float32Array> {
  const session = await createOnnxSession(model, { threads: 1, weightsFolder });
  const { y } = await session.run({ x: { type: 'float32', dims: [1, channels, length], data: x } });
  await session.release();
  return y!.data as Float32Array;
}

/** The convolution with the weights that the bytes stand for, and without rounded activations. */
function exact(filter: number, position: number): number {
  let sum = 0;
  for (let channel = 0; channel < channels; channel++)
    for (let tap = 0; tap < width; tap++) {
      const weight = scale * (weights[(filter * channels + channel) * width + tap]! - zero);
      sum += weight * (x[channel * length + 2 * position + tap - 1] ?? 0) * Number(2 * position + tap > 0);
    }
  return sum;
}

function write(model: OnnxModel | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'convolutions-')), 'model.onnx');
  writeFileSync(path, model instanceof Uint8Array ? model : writeOnnxModel(model));
  return path;
}

it.each([false, true])(
  'convolutions in 8 bits become float ones of the same weights, bias: %s',
  async (hasBias) => {
    const path = write(rounded(hasBias));
    const { graph, bytes } = await withQuickConvolutions(path, { kernels: kernels(false) });
    expect(readOnnxModel(bytes!).graph.nodes.map(({ operator }) => operator)).not.toContain('ConvInteger');
    const [before, after] = [await run(path), await run(bytes!, join(graph, '..'))];
    const range = Math.max(...x) - Math.min(...x);
    for (const [at, value] of after.entries()) {
      const [filter, position] = [Math.floor(at / 10), at % 10];
      const bias = hasBias ? (biases[filter]! * scale * range) / 255 : 0;
      expect(value).toBeCloseTo(exact(filter, position) + bias, 4);
      // The activations are rounded to 255 steps there.
      expect(Math.abs(value - before[at]!)).toBeLessThan(0.2);
    }
  },
);

it.each<[string, Parameters<typeof withQuickConvolutions>[1]]>([
  ['is fast', { kernels: kernels(true) }],
  ['is not used', { device: 'cuda', kernels: kernels(false) }],
])('a graph stays as it is where the processor %s', async (_name, options) => {
  const path = write(rounded(true));
  expect(await withQuickConvolutions(path, options)).toEqual({ graph: path });
});

it('a graph without them, and a file that is no graph, stay as they are', async () => {
  const { graph, ...model } = rounded(false);
  const plain = write({ ...model, graph: { ...graph, nodes: graph.nodes.slice(0, 1) } });
  expect(await withQuickConvolutions(plain, { kernels: kernels(false) })).toEqual({ graph: plain });
  const broken = write(readFileSync(write(rounded(false))).subarray(0, 100));
  expect(await withQuickConvolutions(broken, { kernels: kernels(false) })).toEqual({ graph: broken });
});
