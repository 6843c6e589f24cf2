import { notOffered, type UnsupportedFields } from '../../../validation/unsupported.ts';

const isTextOnly = (value: unknown): boolean =>
  Array.isArray(value) && value.every((kind) => kind === 'text');
/** Name in llama.cpp and others. */
const isParsed = (value: unknown): boolean => ['auto', 'deepseek', 'parsed'].includes(value as string);
const isFalse = (value: unknown): boolean => value === false;
const isZero = (value: unknown): boolean => value === 0;
const isOne = (value: unknown): boolean => value === 1;

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honored. */
export const unsupportedFields = {
  functions: { advice: 'use `tools`' },
  function_call: { advice: 'use `tools` and `tool_choice`' },
  modalities: { harmless: isTextOnly, advice: 'only ["text"] is offered' },
  audio: notOffered,
  prediction: notOffered,
  reasoning: { advice: 'use `reasoning_effort`' },
  reasoning_format: { harmless: isParsed, advice: 'thinking always comes apart, as `reasoning_content`' },
  thinking: { advice: 'use `enable_thinking`' },
  prompt_logprobs: { harmless: isFalse },
  verbosity: { harmless: (value: unknown) => value === 'medium' },
  web_search_options: notOffered,
  best_of: { harmless: isOne, advice: 'use `n`' },
  echo: { harmless: isFalse },
  suffix: notOffered,
  min_tokens: { harmless: isZero },
  ignore_eos: { harmless: isFalse },
  stop_token_ids: { advice: 'use `stop`' },
  bad_words: { advice: 'use `logit_bias`' },
  repetition_penalty: { advice: 'use `repeat_penalty`' },
  length_penalty: notOffered,
  use_beam_search: { harmless: isFalse },
  mirostat: { advice: 'use `mirostat_mode`' },
  typical: { advice: 'use `typical_p`' },
  num_predict: { advice: 'use `max_tokens`' },
  n_predict: { advice: 'use `max_tokens`' },
  repeat_last_n: { advice: 'the window is always the last 64 tokens' },
  top_a: notOffered,
  samplers: notOffered,
  guided_whitespace_pattern: notOffered,
  chat_template: notOffered,
} satisfies UnsupportedFields;
