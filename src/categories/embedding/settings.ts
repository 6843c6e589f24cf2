import { z } from 'zod';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';

/** Settings of an embedding model. */
export const embeddingSettings = {
  contextLength: integerSetting("Most tokens of one text; default: the model's config.", { min: 4 }),
  pooling: choiceSetting(
    "How token vectors become one; default: the model's config, else `last-token` for decoders and `mean` for others.",
    ['cls', 'mean', 'last-token'],
  ),
  normalize: booleanSetting('Scale vectors to length 1; default true.'),
  matryoshkaDimensions: z
    .union([z.literal('any'), z.array(z.number())])
    .optional()
    .describe("Lengths that vectors may be cut to, or `any`; default: the model's config, else none."),
  maxBatchTokens: integerSetting('Most tokens, padding included, of one run; default 4096.'),
} satisfies SettingTable;

/** The values of `embeddingSettings`. */
export type EmbeddingSettings = SettingsOf<typeof embeddingSettings>;
