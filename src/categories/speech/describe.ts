import type { ModelOptions } from '../../contracts/model.ts';
import type { SpeechSettings } from './settings.ts';

/** Settings of a speech model and its limits. */
export type SpeechOptions = Omit<ModelOptions<SpeechSettings>, 'category'>;

/**
 * Describes a text-to-speech model: a Kokoro in the hub's ONNX layout, `voices/*.bin` included, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { speaker: speech({ source: './models/Kokoro-82M', threads: 4 }) } });
 * ```
 */
export function speech(
  options: SpeechOptions,
): ModelOptions<SpeechSettings> & { readonly category: 'speech' } {
  return { ...options, category: 'speech' };
}
