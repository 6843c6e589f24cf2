import {
  booleanSetting,
  integerSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';

/** Settings of an image generation model. */
export const imageSettings = {
  isDistilled: booleanSetting(
    'The model was trained to need no guidance, as Turbo models are; default: its files, else false.',
  ),
  maxPixels: integerSetting('Images of more pixels are refused; default: no limit but that of the API.'),
} satisfies SettingTable;

/** The values of `imageSettings`. */
export type ImageSettings = SettingsOf<typeof imageSettings>;
