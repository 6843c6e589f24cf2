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
    "Source of English pronunciations: `built-in`, or `espeak` from the package `phonemizer`; default: the model's config, else `built-in`.",
    ['built-in', 'espeak'],
  ),
  voiceAliases: booleanSetting(
    'Whether names that clients have built in, such as `alloy`, stand for voices of the model; default true.',
  ),
  ffmpegPath: textSetting(
    'The program that encodes the formats that nothing else here can; default `ffmpeg` on the PATH.',
  ),
} satisfies SettingTable;

/** The values of `speechSettings`. */
export type SpeechSettings = SettingsOf<typeof speechSettings>;
