import {
  booleanSetting,
  choiceSetting,
  textSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe } from '../settings.ts';

export const speechSettings = {
  phonemizer: choiceSetting(
    "Source of English pronunciations: `built-in`, or `espeak` from the package `piper-phonemize`; default: the model's config, else `built-in`.",
    ['built-in', 'espeak'],
  ),
  voiceAliases: booleanSetting(
    'Map voice names built into clients, such as `alloy`, to voices of the model; default true.',
  ),
  wordTimes: booleanSetting(
    'Add an output with the durations that a Kokoro or Piper graph computes, for word times; the graph is loaded through memory. Default: word times only if the graph has this output.',
  ),
  ffmpegPath: textSetting('The program that encodes the remaining formats; default `ffmpeg` on the PATH.'),
} satisfies SettingTable;

export type SpeechSettings = SettingsOf<typeof speechSettings>;

/** Settings of a speech model and its limits. */
export type SpeechOptions = Omit<ModelOptions<SpeechSettings>, 'category'>;

/**
 * Describes a text-to-speech model for `createInference`: a Kokoro in Hugging Face's ONNX layout with `voices/*.bin`, a Piper
 * voice
 * (`*.onnx` with `*.onnx.json`), or a VITS in Hugging Face's layout.
 *
 * @example
 * ```ts
 * createInference({ models: { speaker: speech({ source: './models/Kokoro-82M', threads: 4 }) } });
 * ```
 */
export const speech: Describe<SpeechSettings, 'speech'> = describing('speech');
