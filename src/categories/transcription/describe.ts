import type { ModelOptions } from '../../contracts/model.ts';
import type { TranscriptionSettings } from './settings.ts';

/** Settings of a transcription model and its limits. */
export type TranscriptionOptions = Omit<ModelOptions<TranscriptionSettings>, 'category'>;

/**
 * Describes a speech recognition model: a Whisper in the hub's ONNX layout, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { recognizer: transcription({ source: './models/whisper-medium', threads: 4 }) } });
 * ```
 */
export function transcription(
  options: TranscriptionOptions,
): ModelOptions<TranscriptionSettings> & { readonly category: 'transcription' } {
  return { ...options, category: 'transcription' };
}
