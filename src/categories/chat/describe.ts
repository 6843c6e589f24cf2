import type { ModelOptions } from '../../contracts/model.ts';
import type { ChatSettings } from './settings.ts';

/** Settings of a chat model and its limits. */
export type ChatOptions = Omit<ModelOptions<ChatSettings>, 'category'>;

/**
 * Describes a chat model: a decoder with a chat template, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { assistant: chat({ source: './models/my-model', threads: 4, replicas: 2 }) } });
 * ```
 */
export function chat(options: ChatOptions): ModelOptions<ChatSettings> & { readonly category: 'chat' } {
  return { ...options, category: 'chat' };
}
