import type { ParameterTable } from '../core/parameters/descriptor.ts';

/** Tunable parameters of `turn_detection`. */
export const turnParameters = {
  threshold: {
    type: 'float',
    min: 0,
    max: 1,
    default: 0.5,
    step: 0.05,
    section: 'basic',
    description: 'Loudness of speech over the noise: 2 dB at 0, 8 dB at 0.5, 14 dB at 1.',
  },
  prefixPaddingMs: {
    type: 'int',
    min: 0,
    max: 5000,
    default: 300,
    step: 50,
    section: 'basic',
    description: 'Audio before the start of speech that belongs to the utterance.',
  },
  silenceDurationMs: {
    type: 'int',
    min: 60,
    max: 10_000,
    default: 500,
    step: 10,
    section: 'basic',
    description: 'Silence that ends an utterance.',
  },
} as const satisfies ParameterTable;
