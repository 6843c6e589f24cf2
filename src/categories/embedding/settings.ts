import { z } from 'zod';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe } from '../settings.ts';

export const embeddingSettings = {
  contextLength: integerSetting("Maximum tokens of one text; default: the model's config.", { min: 4 }),
  pooling: choiceSetting(
    "Pooling of token vectors into one; default: the model's config, else `last-token` for decoders and `mean` for encoders.",
    ['cls', 'mean', 'last-token'],
  ),
  normalize: booleanSetting('Scale vectors to length 1; default true.'),
  matryoshkaDimensions: z
    .union([z.literal('any'), z.array(z.number())])
    .optional()
    .describe("Permitted lengths of shortened vectors, or `any`; default: the model's config, else none."),
  tokenIds: booleanSetting(
    "Accept token ids as inputs, which must be from the model's tokenizer; default false.",
  ),
  maxBatchTokens: integerSetting('Maximum tokens of one run, padding included; default 4096.'),
} satisfies SettingTable;

export type EmbeddingSettings = SettingsOf<typeof embeddingSettings>;

/** Settings of an embedding model and its limits. */
export type EmbeddingOptions = Omit<ModelOptions<EmbeddingSettings>, 'category'>;

/**
 * Describes an embedding model for `createInference`: an encoder in Hugging Face's ONNX layout, with or without
 * sentence-transformers
 * config files.
 *
 * @example
 * ```ts
 * createInference({ models: { embedder: embedding({ source: './models/all-MiniLM-L6-v2', threads: 4 }) } });
 * ```
 */
export const embedding: Describe<EmbeddingSettings, 'embedding'> = describing('embedding');
