import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Session, Tensor, TensorData, TensorSignature } from '../../../src/contracts/graph.ts';
import { elementKind } from '../../../src/runtime/tensors.ts';
import { createNativeSession } from '../../../src/runtime/native/create-native-session.ts';
import { createBindingSession } from '../../../src/runtime/onnxruntime-node.ts';
import { someRows } from '../../thorough.ts';

/** Sizes that are made up can't be those of their grids and heads. */
const ownSizes =
  /-vl\/onnx\/vision_encoder|lfm2-(?:gqa|moe)\/|nemo-\w+\/(?:encoder-)?model|moonshine-streaming\/frontend/;
const root = fileURLToPath(new URL('../../../', import.meta.url));
const graphs = ['examples/models', 'test/contract/models'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((file) => join(folder, String(file)))
    .filter((file) => file.endsWith('.onnx') && !ownSizes.test(file)),
);

/** Sizes for dimensions that a graph leaves open, by what their names contain; the first that fits. */
const sizes: readonly [RegExp, number][] = [
  [/batch/i, 2],
  [/encoder_sequence/, 500],
  [/\+/, 5],
  [/past/, 0],
  [/channels/, 3],
  [/height|width/, 64],
  [/timesteps|^1$/, 1],
  [/./, 5],
];
/** Dimensions without a name, and those of latent images. */
const smallSides = /unet|vae/;

function sizeOf(dim: number | string, graph: string): number {
  if (typeof dim === 'number') return dim;
  if (/height|width/.test(dim) && smallSides.test(graph)) return 8;
  return sizes.find(([name]) => name.test(dim))?.[1] ?? 1;
}

/** A tensor whose content depends on its name alone. */
function makeTensor({ name, type, dims: open }: TensorSignature, graph: string): Tensor {
  const dims = open.map((dim) => sizeOf(dim, graph));
  const count = dims.reduce((product, dim) => product * dim, 1);
  const { array } = elementKind(type, name);
  const data: TensorData = new array(count);
  let state = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0;
  const draw = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let index = 0; index < count; index++) {
    if (type === 'int64')
      (data as BigInt64Array)[index] = wholeNumber(name, index % (dims.at(-1) ?? 1), draw);
    else if (type === 'float16') data[index] = 0x3000 + Math.floor(draw() * 0xbff);
    else if (type !== 'bool') data[index] = type.startsWith('float') ? draw() * 2 - 1 : 1;
  }
  return { type, dims, data };
}

function wholeNumber(name: string, index: number, draw: () => number): bigint {
  if (name.includes('mask')) return 1n;
  if (name.includes('position')) return BigInt(index);
  if (name.includes('type')) return 0n;
  return BigInt(1 + Math.floor(draw() * 20));
}

async function runAll(session: Session, graph: string) {
  const feeds = Object.fromEntries(session.inputs.map((input) => [input.name, makeTensor(input, graph)]));
  const { inputs, outputs } = session;
  const [first, second] = [await session.run(feeds), await session.run(feeds)];
  await session.release();
  return { inputs, outputs, first, second };
}

describe('both runtimes give the same signatures and bits', () => {
  it.each(someRows(graphs))('%s', async (graph) => {
    const options = { threads: 1 };
    const native = await runAll(await createNativeSession(join(root, graph), options), graph);
    const binding = await runAll(await createBindingSession(join(root, graph), options), graph);
    expect(native.inputs).toEqual(binding.inputs);
    expect(native.outputs).toEqual(binding.outputs);
    for (const run of ['first', 'second'] as const) {
      expect(Object.keys(native[run])).toEqual(Object.keys(binding[run]));
      for (const [name, { type, dims, data }] of Object.entries(binding[run])) {
        const other = native[run][name]!;
        expect({ type: other.type, dims: other.dims }).toEqual({ type, dims: [...dims] });
        expect(Buffer.compare(bytesOf(other.data), bytesOf(data)), name).toBe(0);
      }
    }
  });
});

function bytesOf({ buffer, byteOffset, byteLength }: TensorData): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
