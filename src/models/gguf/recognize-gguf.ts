import type { GgufMetadata } from '../../core/gguf/read-metadata.ts';
import { sourceError } from '../model-files.ts';
import { architectureOf, ofArchitecture } from './gguf-folder.ts';

/** Metadata before this key describes the model. */
export const firstTokenizerKey = 'tokenizer.';

/** `enum llama_pooling_type` of llama.cpp: rankers make a score, the others a vector. */
const rankPooling = 4;
const encoders = /^(?:.*bert.*|t5encoder|gemma-embedding|llama-embed)$/;
/** Parts of other models, which answer nothing alone. */
const parts: Readonly<Record<string, string>> = {
  clip: 'the part of a model that sees pictures',
  adapter: 'an adapter (LoRA)',
  mmproj: 'the part of a model that sees pictures',
  imatrix: 'a table for quantization',
};

/**
 * The category of a GGUF file, as its metadata shows it.
 *
 * @throws InferenceError `invalid_request` for files that are no model
 */
export function categoryOfGguf(metadata: GgufMetadata): string {
  const architecture = architectureOf(metadata);
  const other = parts[String(metadata.get('general.type') ?? '')] ?? parts[architecture];
  if (other !== undefined) throw sourceError(`the file is ${other}, not a model`);
  if (architecture === '') throw sourceError('the file says no general.architecture');
  const pooling = Number(ofArchitecture(metadata, 'pooling_type') ?? 0);
  if (pooling === rankPooling) return 'rerank';
  return pooling > 0 || encoders.test(architecture) ? 'embedding' : 'chat';
}
