import { integerSetting, type SettingsOf, type SettingTable } from '../../validation/setting-table.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe } from '../settings.ts';

export const rerankSettings = {
  contextLength: integerSetting(
    "Maximum tokens of a query and a document together; default: the model's config.",
    {
      min: 8,
    },
  ),
  maxBatchTokens: integerSetting('Maximum tokens of one run, padding included; default 4096.'),
} satisfies SettingTable;

export type RerankSettings = SettingsOf<typeof rerankSettings>;

/** Settings of a rerank model and its limits. */
export type RerankOptions = Omit<ModelOptions<RerankSettings>, 'category'>;

/**
 * Describes a rerank model for `createInference`: a cross-encoder in Hugging Face's ONNX layout.
 *
 * @example
 * ```ts
 * createInference({ models: { ranker: rerank({ source: './models/bge-reranker-base', threads: 4 }) } });
 * ```
 */
export const rerank: Describe<RerankSettings, 'rerank'> = describing('rerank');
