import type { Dtype, FileTree, ModelFiles } from '../../../../contracts/files.ts';
import { findGraph, missingGraph, needGraph } from '../../../../folder/graph-files.ts';
import { anywhere, isOpen, sourceError, textFiles } from '../../../../folder/model-files.ts';

/** For the prefix and for each step; a merged graph serves both. */
export interface DecoderGraphs {
  readonly first: string;
  readonly next: string;
}

export const whisperFiles: ModelFiles = {
  small: [...textFiles, 'preprocessor_config.json'],
  stems: anywhere('encoder_model', 'decoder_model_merged', 'decoder_model', 'decoder_with_past_model'),
  graphs(files, dtype) {
    const { encoder, decoder } = whisperGraphs(files, dtype);
    return [encoder, ...new Set([decoder.first, decoder.next])];
  },
};

export function whisperGraphs(
  files: FileTree,
  dtype?: Dtype,
): { readonly encoder: string; readonly decoder: DecoderGraphs } {
  const encoder = needGraph(files, anywhere('encoder_model'), dtype);
  const merged = findGraph(files, anywhere('decoder_model_merged'), dtype);
  if (merged !== undefined) return { encoder, decoder: { first: merged, next: merged } };
  const first = findGraph(files, anywhere('decoder_model'), dtype);
  const next = findGraph(files, anywhere('decoder_with_past_model'), dtype);
  if (first !== undefined && next !== undefined) return { encoder, decoder: { first, next } };
  if (!isOpen(dtype)) throw missingGraph(files, anywhere('decoder_model_merged'), dtype);
  const reason = `neither onnx/decoder_model_merged.onnx nor both onnx/decoder_model.onnx and onnx/decoder_with_past_model.onnx in ${files.name}`;
  throw sourceError(reason);
}
