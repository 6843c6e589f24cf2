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
    description:
      'Whether the penalties and DRY count the tokens of the prompt, too, and not only those of the answer.',
  },
  maxTokens: {
    type: 'int',
    min: 1,
    max: 131072,
    default: 256,
    step: 1,
    section: 'basic',
    description:
      'Maximum number of tokens generated per completion; an answer that it cuts off has finish_reason length.',
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
    description:
      "Whether the model thinks before it answers; as the model's chat template has it when left out.",
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
      'Continue the last message, which is one of the assistant; the answer is what comes after it.',
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
      'Read only so many tokens of the end of the prompt; -1 as many as fit beside max_tokens, and half of the context at least; 0 all.',
  },
  minTokens: {
    type: 'int',
    min: 0,
    max: 131072,
    default: 0,
    step: 1,
    section: 'advanced',
    description: 'The answer can not end by itself before it has so many tokens; stop sequences end it.',
  },
  ignoreEos: {
    type: 'boolean',
    default: false,
    section: 'advanced',
    description: 'The answer never ends by itself, but with max_tokens or at a stop sequence.',
  },
  badWords: {
    type: 'strings',
    max: 128,
    default: [],
    section: 'advanced',
    description:
      'Words that the answer may not have, as the tokens that they are by themselves and after a space; up to 256 characters each.',
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
