import { join } from 'node:path';
import type { PoolingMode } from '../../../../core/embedding/pooling.ts';
import type { Dtype, Json } from '../../../../contracts/files.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { singleGraph, sourceError, defaultGraph } from '../../../../folder/model-files.ts';
import { readTextLength } from '../../../../folder/text-length.ts';
import { openModelFolder, readJson } from '../../../../folder/model-folder.ts';

/** @see https://sbert.net/docs/package_reference/sentence_transformer/models.html */
export async function openEmbeddingFolder(
  path: string,
  { dtype, hasGraphs = true }: { dtype?: Dtype | undefined; hasGraphs?: boolean } = {},
) {
  const folder = await openModelFolder(path);
  const modules = await readJson(path, 'modules.json', {});
  const settings = await readJson(path, 'config_sentence_transformers.json', {});
  const { max_seq_length: length } = await readJson(path, 'sentence_bert_config.json', {});
  const kinds = Array.isArray(modules) ? (modules as Json[]) : [];
  const poolingPath = kinds.find((module) => kindOf(module) === 'Pooling')?.['path'] ?? '1_Pooling';
  const pooling = await readJson(path, join(String(poolingPath), 'config.json'), {});
  const prompts = Object.entries((settings['prompts'] ?? {}) as Json);
  const defaultPrompt = settings['default_prompt_name'];
  return {
    ...folder,
    /** Path of the graph; on the remote machine for remote models. */
    graph: join(path, hasGraphs ? singleGraph(localFiles(path), dtype) : defaultGraph),
    /** `undefined` if no file sets it. */
    pooling: readPooling(pooling),
    /** Pool a prompt's tokens with the text's tokens. */
    poolsPrompt: pooling['include_prompt'] !== false,
    /** Modules after the pooling that change vectors, such as `Dense`; supported only inside the graph. */
    furtherModules: kinds
      .map(kindOf)
      .filter((kind) => !['Transformer', 'Pooling', 'Normalize', 'Dropout'].includes(kind)),
    prompts: new Map(prompts.map(([name, prompt]) => [name, String(prompt)])),
    defaultPrompt: typeof defaultPrompt === 'string' ? defaultPrompt : undefined,
    /** Max tokens of a text, special tokens included. */
    contextLength: typeof length === 'number' ? length : readTextLength(folder),
    /** Allowed truncated lengths of vectors; empty if no file lists them. */
    matryoshkaDimensions: readMatryoshka(folder.config),
  };
}

/** `sentence_transformers.models.Pooling` → `Pooling` */
function kindOf(module: Json): string {
  return String(module['type']).split('.').at(-1)!;
}

const poolingModes: Readonly<Record<string, PoolingMode>> = {
  cls: 'cls',
  mean: 'mean',
  lasttoken: 'last-token',
};

/** Older files have a flag per mode, newer files a mode name. */
function readPooling(config: Json): PoolingMode | undefined {
  const named = config['pooling_mode'];
  const flagged = Object.entries(config)
    .filter(([name, value]) => name.startsWith('pooling_mode_') && value === true)
    .map(([name]) => /^pooling_mode_(.*?)(?:_tokens?)?$/.exec(name)![1]!);
  const chosen = typeof named === 'string' ? [named] : flagged;
  if (chosen.length === 0) return undefined;
  const mode = chosen.length === 1 ? poolingModes[chosen[0]!] : undefined;
  if (mode) return mode;
  throw sourceError(`the pooling ${chosen.join(' + ')} is not offered, only cls, mean and lasttoken`);
}

function readMatryoshka(config: Json): readonly number[] | 'any' {
  const dimensions = config['matryoshka_dimensions'];
  if (Array.isArray(dimensions)) return dimensions.filter((size): size is number => Number.isInteger(size));
  return config['is_matryoshka'] === true ? 'any' : [];
}
