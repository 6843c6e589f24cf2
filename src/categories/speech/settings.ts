import {
  booleanSetting,
  choiceSetting,
  textSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';

/** Settings of a speech model. */
export const speechSettings = {
  phonemizer: choiceSetting(
    "Source of English pronunciations: `built-in`, or `espeak` from the package `piper-phonemize`; default: the model's config, else `built-in`.",
    ['built-in', 'espeak'],
  ),
  voiceAliases: booleanSetting(
    'Map built-in names of clients, such as `alloy`, to voices of the model; default true.',
  ),
  ffmpegPath: textSetting('The program that encodes the remaining formats; default `ffmpeg` on the PATH.'),
} satisfies SettingTable;

/** The values of `speechSettings`. */
export type SpeechSettings = SettingsOf<typeof speechSettings>;
