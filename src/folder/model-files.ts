import type { Dtype, FileTree, ModelFiles } from '../contracts/files.ts';
import { findGraph, graphsIn, missingGraph, needGraph } from './graph-files.ts';
import { fieldError, type InferenceError } from '../errors.ts';

/** Path of the graph of a single-graph model. */
export const defaultGraph = 'onnx/model.onnx';

/** Paths of the graph of a single-graph model, without the dtype's suffix. */
const singleStems = anywhere('model');

/** Paths of the graph of decoder-only language models, including the older merged export. */
export const decoderStems = anywhere('model', 'decoder_model_merged');

/** Paths of the graph that embeds tokens, for decoders with embeddings as input. */
export const embeddingStems = anywhere('embed_tokens');

/** Paths of the graph that embeds pictures. */
export const visionStems = anywhere('vision_encoder');

/** The small files of a text model. */
export const textFiles = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
] as const;

/** The graph of a decoder-only language model. */
export function decoderGraph(files: FileTree, dtype?: Dtype): string {
  return needGraph(files, decoderStems, dtype);
}

/** The graph that embeds tokens, in this dtype or else in any. */
export function embeddingGraph(files: FileTree, dtype?: Dtype): string {
  return findGraph(files, embeddingStems, dtype) ?? needGraph(files, embeddingStems);
}

/** The graph that embeds pictures, in this dtype or else in any; `undefined` if missing. */
export function visionGraph(files: FileTree, dtype?: Dtype): string | undefined {
  return findGraph(files, visionStems, dtype) ?? findGraph(files, visionStems);
}

export function singleGraph(files: FileTree, dtype?: Dtype): string {
  return needGraph(files, singleStems, dtype);
}

/** The graph of a single-graph model, or else the only graph, with any name. */
export function singleOrOnlyGraph(files: FileTree, dtype?: Dtype): string {
  const usual = findGraph(files, singleStems, dtype);
  if (usual !== undefined) return usual;
  if (!isOpen(dtype)) throw missingGraph(files, singleStems, dtype);
  const others = ['', 'onnx'].flatMap((folder) => graphsIn(files, folder));
  if (others.length === 1) return others[0]!;
  throw sourceError(
    `expected onnx/model.onnx, model.onnx or one other .onnx file in ${files.name}, found ${others.length}`,
  );
}

export function oneGraph(small: readonly string[], choose = singleGraph): ModelFiles {
  return { small, stems: singleStems, graphs: (files, dtype) => [choose(files, dtype)] };
}

/** @param stems of each graph, in the order of execution */
export function severalGraphs(small: readonly string[], stems: readonly (readonly string[])[]): ModelFiles {
  return {
    small,
    stems: stems.flat(),
    graphs: (files, dtype) => stems.map((names) => needGraph(files, names, dtype)),
  };
}

/** Exporters put graphs into a separate folder, or next to the config. */
export function anywhere(...names: readonly string[]): readonly string[] {
  return [...names.map((name) => `onnx/${name}`), ...names];
}

/** Whether any dtype is accepted. */
export function isOpen(dtype: Dtype | undefined): boolean {
  return dtype === undefined || dtype === 'auto';
}

/** Whether a `config.json` names a matching class. */
export function hasClass({ architectures }: Readonly<Record<string, unknown>>, kind: RegExp): boolean {
  return Array.isArray(architectures) && architectures.some((name) => kind.test(String(name)));
}

/** The error of a model with unsuitable files. */
export function sourceError(reason: string, cause?: unknown): InferenceError {
  return fieldError('source', reason, { cause });
}
