import type { ParameterTable, ParameterValues } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of a speech request. */
export const speechParameters = {
  voice: {
    type: 'string',
    default: 'af_heart',
    section: 'basic',
    description:
      'Who speaks: one of the voices of the model, or several mixed, such as af_heart+am_adam or af_heart(2)+am_adam.',
  },
  speed: {
    type: 'float',
    min: 0.25,
    max: 4,
    default: 1,
    step: 0.05,
    section: 'basic',
    description: 'Playback speed multiplier; the pitch stays.',
  },
} as const satisfies ParameterTable;

export type SpeechParameters = ParameterValues<typeof speechParameters>;

/** Most characters of one text to speak. */
export const maxSpeechCharacters = 32_768;

/** Every format that audio can be answered in; the ones beyond `wav` and `pcm` need an encoder. */
export const speechFormats = ['wav', 'pcm', 'mp3', 'opus', 'aac', 'flac'] as const;

export type SpeechFormat = (typeof speechFormats)[number];
