import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInference } from '../../src/index.ts';
import { localFiles } from '../../src/folder/graph-files.ts';
import { decoderGraph } from '../../src/folder/model-files.ts';
import { locateModel } from '../../src/folder/source.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-explain-'));
  const paths = [
    'pytorch/config.json',
    'pytorch/model.safetensors',
    'old/pytorch_model.bin',
    'gguf/model-q4_k_m.gguf',
    'both/config.json',
    'both/model.gguf',
    'keras/model.h5',
    'model.safetensors',
    'model.onnx',
    'model.gguf',
  ];
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), '{}');
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe('a source that is no model', () => {
  it.each([
    ['old', 'which has weights for PyTorch and no ONNX graph'],
    ['gguf', /which has GGUF files: give one of them as source, such as ".*\/gguf\/model-q4_k_m\.gguf"/],
    ['keras', 'weights of another program'],
    ['model.safetensors', '`optimum-cli export onnx --model … folder`'],
    ['model.onnx', 'expected the folder of the model, got the graph'],
    ['model.gguf', 'runs with the backend llama({…})'],
    ['none.gguf', 'there is no file'],
  ])('%s is explained', (path, reason) => {
    expect(() => locateModel(join(folder, path))).toThrow(reason);
  });

  it.each(['llama3.2:1b', 'qwen3:4b-q4_K_M', 'library/phi3:latest'])(
    '%s is another program’s name',
    (source) => {
      expect(() => locateModel(source)).toThrow(`"${source}" is a name in another program's library`);
    },
  );

  it.each(['nothing', './no/folder', 'C:\\models\\a'])('%s is taken for a path', (source) => {
    expect(() => locateModel(source)).toThrow('expected one of the bundled models');
  });
});

it.each([
  ['pytorch', 'weights for PyTorch'],
  ['both', 'GGUF files: give one of them'],
])('the files of %s that stand in place of a graph are named', (name, reason) => {
  expect(() => decoderGraph(localFiles(join(folder, name)))).toThrow(reason);
});

it.each([
  ['llama3.2:1b', "another program's library"],
  ['none.gguf', 'there is no file'],
])('a model %s fails with its reason', async (source, reason) => {
  const inference = createInference({ models: { a: { source, category: 'chat' } }, isolation: 'inline' });
  await expect(inference.ready()).rejects.toThrow(reason);
  await inference.close();
});
