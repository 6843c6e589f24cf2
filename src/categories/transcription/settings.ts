import { z } from 'zod';
import {
  booleanSetting,
  numberSetting,
  textSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';
import { numberSchema } from '../../validation/number-schema.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe } from '../settings.ts';

export const transcriptionSettings = {
  maxAudioSeconds: numberSetting('Longer audio is rejected; default 4 hours.', { min: 0.001 }),
  voiceActivity: textSetting(
    'Detector of silence and steady noise, which are skipped: `energy` (default), `none`, or the path of a Silero VAD graph.',
  ),
  diarization: z
    .strictObject({
      segmentation: z
        .string()
        .min(1)
        .describe("Segments a window by speaker; a graph like pyannote's segmentation models."),
      embedding: z
        .string()
        .min(1)
        .describe('Embeds voices, from filter banks (WeSpeaker) or samples (x-vectors).'),
      threshold: numberSchema({ type: 'float', min: 0, max: 2 })
        .optional()
        .describe(
          "Max distance between voices of one speaker, 0 to 2; default 0.7046, for WeSpeaker's ResNet34.",
        ),
    })
    .optional()
    .describe(
      'Two models for diarization, each the path of a graph or folder, or a source; default: no diarization, and `diarized_json` is rejected.',
    ),
  conditionOnPrevious: booleanSetting(
    "Use the text of a window, with its times, as context of the next; default: the model's `condition_on_prev_tokens`, else true.",
  ),
  ffmpegPath: textSetting('The program that decodes the remaining formats; default `ffmpeg` on the PATH.'),
} satisfies SettingTable;

export type TranscriptionSettings = SettingsOf<typeof transcriptionSettings>;

/** Settings of a transcription model and its limits. */
export type TranscriptionOptions = Omit<ModelOptions<TranscriptionSettings>, 'category'>;

/**
 * Describes a speech recognition model for `createInference`: a Whisper or Moonshine in Hugging Face's ONNX layout, or a
 * streaming Moonshine or NeMo model in its exporter's layout.
 *
 * @example
 * ```ts
 * createInference({ models: { recognizer: transcription({ source: './models/whisper-medium', threads: 4 }) } });
 * ```
 */
export const transcription: Describe<TranscriptionSettings, 'transcription'> = describing('transcription');
