import type { ParameterTable, ParameterValues } from './descriptor.ts';

/** Parameters of the sampler chain; `createSampler` takes exactly these. */
export const samplingParameters = {
  temperature: {
    type: 'float',
    min: 0,
    max: 2,
    default: 0.7,
    step: 0.1,
    section: 'basic',
    description: 'Randomness: lower is more deterministic, 0 always takes the most likely token.',
  },
  topP: {
    type: 'float',
    min: 0,
    max: 1,
    default: 1,
    step: 0.05,
    section: 'basic',
    description:
      'Nucleus sampling: keep the most likely tokens that together reach this probability; 1 disables. Use either temperature or top_p, not both.',
  },
  frequencyPenalty: {
    type: 'float',
    min: -2,
    max: 2,
    default: 0,
    step: 0.1,
    section: 'advanced',
    description:
      'Penalizes tokens in proportion to how often they appeared; positive values reduce repetition.',
  },
  presencePenalty: {
    type: 'float',
    min: -2,
    max: 2,
    default: 0,
    step: 0.1,
    section: 'advanced',
    description: 'Penalizes tokens that appeared at all.',
  },
  repeatPenalty: {
    type: 'float',
    min: 0,
    max: 3,
    default: 1.1,
    step: 0.05,
    section: 'advanced',
    description: 'Multiplicative penalty on tokens of the last 64, the prompt included; 1 means none.',
  },
  topK: {
    type: 'int',
    min: 0,
    max: 500,
    default: 0,
    step: 1,
    section: 'advanced',
    description: 'Sample only from the K most likely tokens; 0 disables.',
  },
  minP: {
    type: 'float',
    min: 0,
    max: 1,
    default: 0.05,
    step: 0.01,
    section: 'advanced',
    description: 'Minimum probability relative to the most likely token; 0 disables.',
  },
  typicalP: {
    type: 'float',
    min: 0,
    max: 1,
    default: 1,
    step: 0.05,
    section: 'advanced',
    description: 'Locally typical sampling; 1 disables.',
  },
  tfsZ: {
    type: 'float',
    min: 0,
    max: 1,
    default: 1,
    step: 0.05,
    section: 'advanced',
    description: 'Tail-free sampling; 1 disables.',
  },
  mirostatMode: {
    type: 'int',
    min: 0,
    max: 2,
    default: 0,
    step: 1,
    section: 'advanced',
    description:
      '0 disabled, 1 Mirostat v1, 2 Mirostat v2; when enabled it replaces the truncating samplers.',
  },
  mirostatTau: {
    type: 'float',
    min: 0,
    max: 10,
    default: 5,
    step: 0.1,
    section: 'advanced',
    description: 'Mirostat target entropy in bits; lower gives more focused output.',
  },
  mirostatEta: {
    type: 'float',
    min: 0,
    max: 1,
    default: 0.1,
    step: 0.01,
    section: 'advanced',
    description: 'Mirostat learning rate.',
  },
} as const satisfies ParameterTable;

/** The values of `samplingParameters`. */
export type SamplingParameters = ParameterValues<typeof samplingParameters>;

/** Bounds of one entry of `logit_bias`, both inclusive. */
export const logitBiasBounds = { min: -100, max: 100 } as const;
