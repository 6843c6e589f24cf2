import type { ParameterTable } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of a speech request. */
export const speechParameters = {
  voice: {
    type: 'string',
    default: 'af_heart',
    section: 'basic',
    description: 'Voice of the model, or a mix of several, such as af_heart+am_adam or af_heart(2)+am_adam.',
  },
  speed: {
    type: 'float',
    min: 0.25,
    max: 4,
    default: 1,
    step: 0.05,
    section: 'basic',
    description: 'Playback speed multiplier; the pitch is unchanged.',
  },
  markup: {
    type: 'boolean',
    default: true,
    section: 'advanced',
    description: 'Interpret SSML, HTML, Markdown and entities; otherwise every character is read as text.',
  },
} as const satisfies ParameterTable;

/** Max characters of a text to speak. */
export const maxSpeechCharacters = 32_768;
