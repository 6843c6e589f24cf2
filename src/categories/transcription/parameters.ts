import type { ParameterTable } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of a transcription request. */
export const transcriptionParameters = {
  temperature: {
    type: 'float',
    min: 0,
    max: 1,
    default: 0,
    step: 0.1,
    section: 'basic',
    description:
      'Decoding temperature. At 0 the most likely text is used, and repetitive or unlikely windows are retried at higher temperatures. Above 0 all windows are decoded only at that temperature.',
  },
} as const satisfies ParameterTable;

/** The default model, if configured under that id. */
export const defaultTranscriptionModel = 'whisper-medium';

export const transcriptionFormats = ['json', 'text', 'verbose_json', 'srt', 'vtt', 'diarized_json'] as const;

export type TranscriptionFormat = (typeof transcriptionFormats)[number];
