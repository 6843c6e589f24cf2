import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddingFolder } from '../../src/categories/embedding/architectures/text/embedding-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-embedding-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The folder with the files that every model has, and others. */
async function open(files: Readonly<Record<string, unknown>> = {}) {
  const all = { 'config.json': {}, 'tokenizer.json': {}, 'onnx/model.onnx': 0, ...files };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), JSON.stringify(content));
  }
  return openEmbeddingFolder(folder);
}

const modules = (...kinds: string[]) =>
  kinds.map((kind, idx) => ({
    idx,
    path: idx === 0 ? '' : `${idx}_${kind}`,
    type: `sentence_transformers.models.${kind}`,
  }));

describe('openEmbeddingFolder', () => {
  it('needs no file of sentence-transformers', async () => {
    expect(await open()).toMatchObject({
      graph: join(folder, 'onnx/model.onnx'),
      pooling: undefined,
      poolsPrompt: true,
      furtherModules: [],
      prompts: new Map(),
      defaultPrompt: undefined,
      contextLength: undefined,
      matryoshkaDimensions: [],
    });
  });

  it.each([
    [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, 'cls'],
    [{ pooling_mode_cls_token: false, pooling_mode_mean_tokens: true, include_prompt: true }, 'mean'],
    [{ pooling_mode_lasttoken: true }, 'last-token'],
    [{ pooling_mode: 'mean', pooling_mode_cls_token: false }, 'mean'],
    [{ pooling_mode: 'lasttoken' }, 'last-token'],
    [{ word_embedding_dimension: 384 }, undefined],
  ])('reads %j', async (config, pooling) => {
    expect((await open({ '1_Pooling/config.json': config })).pooling).toBe(pooling);
  });

  it.each([
    [{ pooling_mode_max_tokens: true }, 'max'],
    [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean_sqrt_len'],
    [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: true }, 'cls + mean'],
    [{ pooling_mode: 'weightedmean' }, 'weightedmean'],
  ])('refuses %j', async (config, named) => {
    await expect(open({ '1_Pooling/config.json': config })).rejects.toMatchObject({
      code: 'invalid_request',
      message: `source: the pooling ${named} is not offered, only cls, mean and lasttoken.`,
    });
  });

  it('finds the pooling where modules.json says', async () => {
    const opened = await open({
      'modules.json': modules('Transformer', 'Normalize', 'Pooling'),
      '2_Pooling/config.json': { pooling_mode: 'cls', include_prompt: false },
    });
    expect(opened).toMatchObject({ pooling: 'cls', poolsPrompt: false, furtherModules: [] });
  });

  it('names modules that only the graph can hold', async () => {
    const opened = await open({ 'modules.json': modules('Transformer', 'Pooling', 'Dense', 'Normalize') });
    expect(opened.furtherModules).toEqual(['Dense']);
  });

  it('reads the prompts', async () => {
    const settings = { prompts: { query: 'query: ', passage: '' }, default_prompt_name: 'query' };
    expect(await open({ 'config_sentence_transformers.json': settings })).toMatchObject({
      prompts: new Map([
        ['query', 'query: '],
        ['passage', ''],
      ]),
      defaultPrompt: 'query',
    });
  });

  it.each<[object, object, object, number | undefined]>([
    [{ max_position_embeddings: 512 }, {}, {}, 512],
    [{ max_position_embeddings: 512 }, { model_max_length: 128 }, {}, 128],
    [{ max_position_embeddings: 512 }, { model_max_length: 128 }, { max_seq_length: 256 }, 256],
    [{ max_position_embeddings: 514, model_type: 'xlm-roberta' }, {}, { max_seq_length: null }, 512],
    [{}, { model_max_length: 1e30 }, {}, undefined],
  ])('context length of %j, %j, %j', async (config, tokenizerConfig, transformer, expected) => {
    const opened = await open({
      'config.json': config,
      'tokenizer_config.json': tokenizerConfig,
      'sentence_bert_config.json': transformer,
    });
    expect(opened.contextLength).toBe(expected);
  });

  it.each([
    [{ matryoshka_dimensions: [64, 128] }, [64, 128]],
    [{ is_matryoshka: true }, 'any'],
    [{ is_matryoshka: false }, []],
  ])('dimensions of %j', async (config, expected) => {
    expect((await open({ 'config.json': config })).matryoshkaDimensions).toEqual(expected);
  });

  it('says where it looked for the graph', async () => {
    await open();
    await rm(join(folder, 'onnx'), { recursive: true });
    await expect(openEmbeddingFolder(folder)).rejects.toMatchObject({
      message: expect.stringContaining('none of onnx/model.onnx, model.onnx'),
    });
  });
});
