import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOnnxModel, writeOnnxModel } from '../../../../src/core/onnx/messages.ts';
import { int64Tensor } from '../../../../src/core/onnx/tensor-values.ts';
import { createOnnxSession } from '../../../../src/runtime/onnx.ts';
import {
  prepareGraph,
  type PreparedGraph,
  type PrepareOptions,
} from '../../../../src/backends/onnx/chat/prepare-graph.ts';
import { contractGraph } from '../../../core/onnx/contract-models.ts';

const rewrites = { attention: true, accuracyLevel: true, candidates: 8 };

let root: string;
let folder: string;
let path: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'slashv1-prepare-'));
});
afterAll(() => rm(root, { recursive: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'model-'));
  path = join(folder, 'model.onnx');
  await copyFile(contractGraph('llama'), path);
});

describe('prepareGraph', () => {
  it('writes a small file that a session maps the weights from', async () => {
    const prepared = await prepare();
    expect(prepared).toMatchObject({
      model: `${path}.lastPosition-attention-accuracyLevel-candidates8.slashv1`,
      weightsFolder: folder,
      applied: ['mapped', 'attention', 'last-position', 'candidates'],
      skipped: [{ name: 'accuracy-level' }],
    });
    expect(prepared.signature.inputs.map(({ name }) => name)).toContain('last_positions');
    expect((await readFile(prepared.model as string)).length).toBeLessThan((await readFile(path)).length / 4);
    await load(prepared);
  });

  it('makes it once, and anew when the model changes', async () => {
    const first = await prepare();
    const written = await readFile(first.model as string);
    // A field that has no place in a model.
    const mark = Buffer.from([0xfa, 0x01, 0x03, 0x6d, 0x72, 0x6b]);
    await writeFile(first.model as string, Buffer.concat([written, mark]));
    expect(await prepare()).toEqual(first);
    expect(await readFile(first.model as string)).toHaveLength(written.length + mark.length);
    await utimes(path, 1, 1);
    expect(await prepare()).toEqual(first);
    expect((await readFile(first.model as string)).includes(mark)).toBe(false);
  });

  it('makes it anew where it is broken', async () => {
    const { model } = await prepare();
    await writeFile(model as string, 'broken');
    await load(await prepare());
  });

  it('only maps the weights without rewrites', async () => {
    const prepared = await prepareGraph(path);
    expect(prepared).toMatchObject({ model: `${path}.mapped.slashv1`, applied: ['mapped'], skipped: [] });
    await load(prepared);
  });

  it('leaves the file alone when turned off', async () => {
    expect(await prepare({ optimize: false })).toMatchObject({ model: path, applied: [] });
    expect(await readdir(folder)).toEqual(['model.onnx']);
  });

  it('follows weights in files beside the graph', async () => {
    await copyFile(contractGraph('qwen2'), path);
    await copyFile(contractGraph('qwen2', 'onnx/model.onnx_data'), `${path}_data`);
    const prepared = await prepare();
    expect(prepared.applied).toContain('attention');
    await load(prepared);
  });

  it('follows symbolic links into one folder', async () => {
    const links = join(folder, 'links');
    await mkdir(links);
    await symlink(path, join(links, 'graph.onnx'));
    path = join(links, 'graph.onnx');
    const prepared = await prepare();
    expect(dirname(prepared.model as string)).toBe(links);
    expect(prepared.weightsFolder).toBe(folder);
    await load(prepared);
  });

  it('does not map weights from several folders', async () => {
    await copyFile(contractGraph('qwen2'), path);
    const elsewhere = await mkdtemp(join(root, 'weights-'));
    await copyFile(contractGraph('qwen2', 'onnx/model.onnx_data'), join(elsewhere, 'data'));
    await symlink(join(elsewhere, 'data'), `${path}_data`);
    expect(await prepare()).toMatchObject({ model: path, applied: [] });
  });

  it('keeps it in the cache folder where it can not be beside the model, or nowhere', async () => {
    const cacheFolder = join(root, 'cache');
    // Also stops those who may write everywhere.
    await mkdir(`${path}.lastPosition-attention-accuracyLevel-candidates8.slashv1`);
    const prepared = await prepare({ cacheFolder });
    expect(prepared.model).toContain(cacheFolder);
    await load(prepared);
    expect(await prepare({ cacheFolder })).toEqual(prepared);
    const unkept = await prepare();
    expect(unkept.model).toBeInstanceOf(Uint8Array);
    await load(unkept);
  });

  it('takes a rewrite back that changes the logits', async () => {
    // Heads that share keys lie apart here, which the pattern of the attention does not show.
    const source = readOnnxModel(await readFile(contractGraph('gemma2')));
    const { graph } = source;
    const nodes = graph.nodes.map((node) =>
      node.operator === 'Unsqueeze' && node.inputs[0]!.startsWith('present.')
        ? { ...node, inputs: [node.inputs[0]!, 'first_axis'] }
        : node,
    );
    const initializers = [...graph.initializers, int64Tensor('first_axis', [1])];
    await writeFile(path, writeOnnxModel({ ...source, graph: { ...graph, nodes, initializers } }));
    const { applied, skipped } = await prepare();
    expect(applied).toEqual(['mapped', 'last-position', 'candidates']);
    expect(skipped.find(({ name }) => name === 'attention')?.reason).toMatch(/logits differ by/);
  });

  it('tells what is no model', async () => {
    await writeFile(path, 'this is no model');
    await expect(prepare()).rejects.toThrow(/expected an ONNX model/);
    await rm(path);
    await expect(prepare()).rejects.toThrow(/ENOENT/);
  });
});

function prepare(options: PrepareOptions = {}): Promise<PreparedGraph> {
  return prepareGraph(path, { rewrites, threads: 1, ...options });
}

/** A session of a prepared graph has the inputs that it says. */
async function load({ model, weightsFolder, signature }: PreparedGraph): Promise<void> {
  const session = await createOnnxSession(model, { threads: 1, weightsFolder });
  expect(session.inputs).toEqual(signature.inputs);
  expect(session.outputs.map(({ name }) => name)).toEqual(signature.outputs.map(({ name }) => name));
  await session.release();
}
