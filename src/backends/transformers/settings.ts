import { z } from 'zod';
import { textSetting, type SettingsOf, type SettingTable } from '../../validation/setting-table.ts';

export const transformersSettings = {
  decoderPrompt: textSetting(
    'Chat with an encoder–decoder model: prefix of every answer for the model, such as the token of a language; it is not part of the answer.',
  ),
  vocoder: textSetting(
    'Speech with SpeechT5: path of a folder with the vocoder, such as a copy of `Xenova/speecht5_hifigan`; default: the folder `vocoder` of the model.',
  ),
  voices: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Speech: names of voices and paths of their files of float32 numbers; default: the files `voices/*.bin` of the model.',
    ),
} satisfies SettingTable;

/** The package `@huggingface/transformers` in a worker process of this machine; plain data. */
export interface TransformersBackend extends SettingsOf<typeof transformersSettings> {
  readonly kind: 'transformers';
}
