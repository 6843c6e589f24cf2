import type { ParameterTable, ParameterValues } from '../../core/parameters/descriptor.ts';
import { samplingParameters } from '../../core/sampling/samplers.ts';

/** Values of `reasoning_effort`; each template supports a subset. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Every tunable parameter of a chat request. */
export const chatParameters = {
  ...samplingParameters,
  drySequenceBreakers: {
    type: 'strings',
    max: 64,
    default: ['\n', ':', '"', '*'],
    section: 'advanced',
    description: 'DRY: texts that end a repetition.',
  },
  penalizePrompt: {
    type: 'boolean',
    default: false,
    section: 'advanced',
    description: 'Apply the penalties and DRY to the tokens of the prompt too, not only to the answer.',
  },
  maxTokens: {
    type: 'int',
    min: 1,
    max: 131072,
    default: 256,
    step: 1,
    section: 'basic',
    description:
      'Maximum number of tokens generated per completion; an answer truncated by it has finish_reason length.',
  },
  n: {
    type: 'int',
    min: 1,
    max: 5,
    default: 1,
    step: 1,
    section: 'advanced',
    description: 'Number of completions; choice i uses seed + i.',
  },
  seed: {
    type: 'int',
    min: 0,
    max: 2 ** 31,
    step: 1,
    section: 'advanced',
    description: 'The same seed and parameters give the same output; default: random.',
  },
  includeReasoning: {
    type: 'boolean',
    default: true,
    section: 'basic',
    description: 'Include reasoning_content in responses of thinking models.',
  },
  enableThinking: {
    type: 'boolean',
    section: 'basic',
    description: 'Let the model think before it answers; default: set by its chat template.',
  },
  reasoningEffort: {
    type: 'string',
    section: 'basic',
    description: `How much the model thinks: ${reasoningEfforts.join(', ')}; default: set by its chat template.`,
  },
  continueFinalMessage: {
    type: 'boolean',
    default: false,
    section: 'advanced',
    description:
      'Continue the last message, which must be from the assistant; the answer is the continuation.',
  },
  addGenerationPrompt: {
    type: 'boolean',
    section: 'advanced',
    description: 'Begin a new turn of the assistant; default: true unless continue_final_message is true.',
  },
  truncatePromptTokens: {
    type: 'int',
    min: -1,
    max: 2 ** 31 - 1,
    default: 0,
    step: 1,
    section: 'advanced',
    description:
      'Keep only this many tokens of the end of the prompt; -1 keeps as many as fit with max_tokens, at least half of the context; 0 keeps all.',
  },
  minTokens: {
    type: 'int',
    min: 0,
    max: 131072,
    default: 0,
    step: 1,
    section: 'advanced',
    description: 'Minimum number of tokens before the model may end the answer; stop sequences still end it.',
  },
  ignoreEos: {
    type: 'boolean',
    default: false,
    section: 'advanced',
    description: "Ignore the model's end tokens: only max_tokens or a stop sequence ends the answer.",
  },
  badWords: {
    type: 'strings',
    max: 128,
    default: [],
    section: 'advanced',
    description:
      'Words excluded from the answer, as their tokens with and without a leading space; up to 256 characters each.',
  },
  includeStopStrInOutput: {
    type: 'boolean',
    default: false,
    section: 'advanced',
    description: 'Include the stop sequence that ended the answer in the answer.',
  },
  logprobs: {
    type: 'boolean',
    default: false,
    section: 'advanced',
    description:
      "Return the log probability of every generated token, from the model's output before sampling.",
  },
  topLogprobs: {
    type: 'int',
    min: 0,
    max: 20,
    default: 0,
    step: 1,
    section: 'advanced',
    description: 'Number of most likely tokens to list at each position; needs logprobs.',
  },
} as const satisfies ParameterTable;

export type ChatParameters = ParameterValues<typeof chatParameters>;

export const maxStopSequences = 4;
export const maxStopTokens = 128;
/** Max length of `allowedTokenIds`; larger than any vocabulary. */
export const maxAllowedTokens = 2 ** 20;
/** Max length of a bad word, in UTF-16 code units. */
export const maxBadWordLength = 256;
