import {
  booleanSetting,
  integerSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';

/** Settings of an image generation model. */
export const imageSettings = {
  isDistilled: booleanSetting(
    'The model needs no guidance, like Turbo models; default: from its files, else false.',
  ),
  maxPixels: integerSetting("Images of more pixels are refused; default: only the API's limit."),
} satisfies SettingTable;

/** The values of `imageSettings`. */
export type ImageSettings = SettingsOf<typeof imageSettings>;
