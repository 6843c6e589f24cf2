import { InferenceError } from '../errors.ts';
import { findGraph, missingGraph, needGraph, graphsIn, type Dtype, type FileTree } from './graph-files.ts';

/** What a category of models is made of. */
export interface ModelFiles {
  /** Small files, those included that a model may lack; `*` stands for any name in a folder. */
  readonly small: readonly string[];
  /** What its graphs are usually called, without what tells the dtype and without `.onnx`. */
  readonly stems: readonly string[];
  /**
   * Paths of the graphs.
   *
   * @throws InferenceError `invalid_request` where one is missing
   */
  graphs(files: FileTree, dtype?: Dtype): readonly string[];
}

/** The graphs of a Whisper decoder: one with two branches, or one for the prefix and one for what follows. */
export type DecoderGraphs = { readonly merged: string } | { readonly first: string; readonly next: string };

const decoderStems = anywhere('model', 'decoder_model_merged');
const singleStems = anywhere('model');

/** Where a model of one graph has it. */
export const usualGraph = 'onnx/model.onnx';

/** A decoder-only language model; also the older merged export. */
export function decoderGraph(files: FileTree, dtype?: Dtype): string {
  return needGraph(files, decoderStems, dtype);
}

/** A model of one graph. */
export function singleGraph(files: FileTree, dtype?: Dtype): string {
  return needGraph(files, singleStems, dtype);
}

/** The same, or else the only graph that there is, whatever its name. */
export function detectorGraph(files: FileTree, dtype?: Dtype): string {
  const usual = findGraph(files, singleStems, dtype);
  if (usual !== undefined) return usual;
  if (!isOpen(dtype)) throw missingGraph(files, singleStems, dtype);
  const others = ['', 'onnx'].flatMap((folder) => graphsIn(files, folder));
  if (others.length === 1) return others[0]!;
  throw invalid(
    `expected onnx/model.onnx, model.onnx or one other .onnx file in ${files.name}, found ${others.length}`,
  );
}

export function whisperGraphs(
  files: FileTree,
  dtype?: Dtype,
): { readonly encoder: string; readonly decoder: DecoderGraphs } {
  const encoder = needGraph(files, anywhere('encoder_model'), dtype);
  const merged = findGraph(files, anywhere('decoder_model_merged'), dtype);
  if (merged !== undefined) return { encoder, decoder: { merged } };
  const first = findGraph(files, anywhere('decoder_model'), dtype);
  const next = findGraph(files, anywhere('decoder_with_past_model'), dtype);
  if (first !== undefined && next !== undefined) return { encoder, decoder: { first, next } };
  if (!isOpen(dtype)) throw missingGraph(files, anywhere('decoder_model_merged'), dtype);
  throw invalid(
    `neither onnx/decoder_model_merged.onnx nor both onnx/decoder_model.onnx and onnx/decoder_with_past_model.onnx in ${files.name}`,
  );
}

/** Where the parts of a diffusion model may lie: the first of the folders that has a graph counts. */
export const diffusionFolders = {
  denoiser: ['unet', 'transformer'],
  decoder: ['vae_decoder', 'vae/decoder', 'vae'],
  textEncoder: ['text_encoder'],
  secondTextEncoder: ['text_encoder_2'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface DiffusionGraph {
  readonly folder: string;
  /** Path among the files. */
  readonly graph: string;
}

/**
 * Finds the graph of one part of a diffusion model: `model.onnx` in its folder, or else the only one there.
 *
 * @throws InferenceError `invalid_request` listing the dtypes that are there, or where a graph was looked for
 */
export function diffusionGraph(files: FileTree, folders: readonly string[], dtype?: Dtype): DiffusionGraph {
  const found = findDiffusionGraph(files, folders, dtype);
  if (found) return found;
  throw missingGraph(files, folders.map(toStem), dtype);
}

function findDiffusionGraph(
  files: FileTree,
  folders: readonly string[],
  dtype?: Dtype,
): DiffusionGraph | undefined {
  for (const folder of folders) {
    const usual = findGraph(files, [toStem(folder)], dtype);
    const candidates = usual === undefined && isOpen(dtype) ? graphsIn(files, folder) : [];
    const graph = usual ?? (candidates.length === 1 ? candidates[0] : undefined);
    if (graph !== undefined) return { folder, graph };
  }
  return undefined;
}

function toStem(folder: string): string {
  return `${folder}/model`;
}

const diffusionParts = Object.values(diffusionFolders).flat();

const textFiles = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
] as const;

const clipTokenizerFiles = [
  'tokenizer.json',
  'vocab.json',
  'merges.txt',
  'tokenizer_config.json',
  'special_tokens_map.json',
] as const;

/** Every file that the models of a category are read from. */
export const modelFiles = {
  chat: {
    small: textFiles,
    stems: decoderStems,
    graphs: (files, dtype) => [decoderGraph(files, dtype)],
  },
  detection: {
    small: ['config.json', 'preprocessor_config.json', '*.names'],
    stems: singleStems,
    graphs: (files, dtype) => [detectorGraph(files, dtype)],
  },
  embedding: {
    small: [
      ...textFiles,
      'modules.json',
      'config_sentence_transformers.json',
      'sentence_bert_config.json',
      '*_Pooling/config.json',
    ],
    stems: singleStems,
    graphs: (files, dtype) => [singleGraph(files, dtype)],
  },
  image: {
    small: [
      'model_index.json',
      'scheduler/scheduler_config.json',
      ...['tokenizer', 'tokenizer_2'].flatMap((folder) =>
        clipTokenizerFiles.map((name) => `${folder}/${name}`),
      ),
      ...diffusionParts.map((folder) => `${folder}/config.json`),
    ],
    stems: diffusionParts.map(toStem),
    graphs(files, dtype) {
      const { denoiser, decoder, textEncoder, secondTextEncoder } = diffusionFolders;
      const second = findDiffusionGraph(files, secondTextEncoder) ? [secondTextEncoder] : [];
      return [denoiser, decoder, textEncoder, ...second].map(
        (folders) => diffusionGraph(files, folders, dtype).graph,
      );
    },
  },
  speech: {
    small: ['config.json', 'tokenizer.json', 'voices/*.bin'],
    stems: singleStems,
    graphs: (files, dtype) => [singleGraph(files, dtype)],
  },
  transcription: {
    small: [...textFiles, 'preprocessor_config.json'],
    stems: anywhere('encoder_model', 'decoder_model_merged', 'decoder_model', 'decoder_with_past_model'),
    graphs(files, dtype) {
      const { encoder, decoder } = whisperGraphs(files, dtype);
      return 'merged' in decoder ? [encoder, decoder.merged] : [encoder, decoder.first, decoder.next];
    },
  },
} as const satisfies Readonly<Record<string, ModelFiles>>;

export type ModelCategory = keyof typeof modelFiles;

/** Exporters put graphs into a folder of their own, or beside the config. */
function anywhere(...names: readonly string[]): readonly string[] {
  return [...names.map((name) => `onnx/${name}`), ...names];
}

function isOpen(dtype: Dtype | undefined): boolean {
  return dtype === undefined || dtype === 'auto';
}

function invalid(reason: string): InferenceError {
  return new InferenceError('invalid_request', `source: ${reason}`, { param: 'source' });
}
