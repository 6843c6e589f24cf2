import { integerSetting, type SettingsOf, type SettingTable } from '../../validation/setting-table.ts';

/** Settings of a rerank model. */
export const rerankSettings = {
  contextLength: integerSetting(
    "Maximum tokens of a query and a document together; default: the model's config.",
    {
      min: 8,
    },
  ),
  maxBatchTokens: integerSetting('Maximum tokens of one run, padding included; default 4096.'),
} satisfies SettingTable;

/** The values of `rerankSettings`. */
export type RerankSettings = SettingsOf<typeof rerankSettings>;
