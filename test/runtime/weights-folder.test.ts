import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { external, model, node, value } from './onnx-writer.ts';

/** `y = x + weights`, where the weights are in files beside it. */
const adding = model({
  name: 'adding',
  nodes: [node('Add', ['x', 'a'], 'z'), node('Add', ['z', 'b'], 'y')],
  constants: [external('a', [2], 'model.onnx_data'), external('b', [2], 'model.onnx_data_1')],
  inputs: [value('x', [2])],
  outputs: [value('y', [2])],
});
const weights = {
  'model.onnx_data': new Uint8Array(Float32Array.of(1, 2).buffer),
  'model.onnx_data_1': new Uint8Array(Float32Array.of(10, 20).buffer),
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-test-weights-'));
  await mkdir(join(folder, 'snapshot'));
  await mkdir(join(folder, 'blobs'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

it.each([
  ['beside the model', false],
  ['at the end of symbolic links', true],
])('reads weights %s, of a model that is given as bytes', async (_title, isLinked) => {
  for (const [name, bytes] of Object.entries(weights)) {
    await writeFile(join(folder, isLinked ? 'blobs' : 'snapshot', name), bytes);
    if (isLinked) await symlink(join('..', 'blobs', name), join(folder, 'snapshot', name));
  }
  await mkdir(join(folder, 'temporary'));
  vi.stubEnv('TMPDIR', join(folder, 'temporary'));
  const session = await createOnnxSession(adding, { weightsFolder: join(folder, 'snapshot'), threads: 1 });
  const { y } = await session.run({ x: { type: 'float32', dims: [2], data: Float32Array.of(100, 200) } });
  expect([...y!.data]).toEqual([111, 222]);
  await session.release();
  const left = await readdir(join(folder, 'temporary'));
  expect(left.filter((name) => name.startsWith('slashv1-'))).toEqual([]);
});
