import {
  harmless,
  ignoredFields,
  notOffered,
  type ForeignFields,
} from '../../../../validation/foreign-fields.ts';

const isTextOnly = (value: unknown): boolean =>
  Array.isArray(value) && value.every((kind) => kind === 'text');
const off = harmless(false);
const toFormat = (value: unknown): Readonly<Record<string, unknown>> => {
  if (value === '') return {};
  return value === 'json' ? { response_format: { type: 'json_object' } } : { guided_json: value };
};
const toThinking = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'string' ? { reasoning_effort: value } : { enable_thinking: value };

/** Fields of OpenAI's and popular servers' chat completions that this API doesn't have. */
export const foreignFields = {
  functions: { advice: 'use `tools`' },
  function_call: { advice: 'use `tools` and `tool_choice`' },
  modalities: { harmless: isTextOnly, advice: 'only ["text"] is offered' },
  audio: notOffered,
  prediction: notOffered,
  verbosity: harmless('medium'),
  web_search_options: notOffered,
  regex: { as: 'guided_regex' },
  regex_pattern: { as: 'guided_regex' },
  ebnf: { as: 'guided_grammar' },
  grammar_string: { as: 'grammar' },
  format: { as: '`response_format`, or a schema as `guided_json`', to: toFormat },
  guided_whitespace_pattern: notOffered,
  structural_tag: { advice: 'use `tools` or `response_format`' },
  n_predict: { as: 'max_tokens' },
  num_predict: { as: 'max_tokens' },
  max_new_tokens: { as: 'max_tokens' },
  min_new_tokens: { as: 'min_tokens' },
  ban_eos_token: { as: 'ignore_eos' },
  no_stop_trim: { as: 'include_stop_str_in_output' },
  stop_sequences: { as: 'stop' },
  stop_regex: { advice: 'use `stop`' },
  skip_special_tokens: { ...harmless(true), advice: 'special tokens are no part of an answer' },
  random_seed: { as: 'seed' },
  repetition_penalty: { as: 'repeat_penalty' },
  rep_pen: { as: 'repeat_penalty' },
  rep_pen_range: { as: 'repeat_last_n' },
  typical: { as: 'typical_p' },
  mirostat: { as: 'mirostat_mode' },
  nsigma: { as: 'top_n_sigma' },
  banned_tokens: { ...harmless([]), advice: 'use `logit_bias` with -100' },
  custom_token_bans: { ...harmless(''), advice: 'use `logit_bias` with -100' },
  banned_strings: { ...harmless([]), advice: 'use `bad_words`' },
  best_of: { ...harmless(1), advice: 'use `n`' },
  use_beam_search: off,
  length_penalty: harmless(1),
  top_a: harmless(0),
  epsilon_cutoff: { ...harmless(0), advice: 'use `min_p`' },
  eta_cutoff: { ...harmless(0), advice: 'use `min_p`' },
  penalty_alpha: { ...harmless(0), advice: 'use `repeat_penalty`' },
  smoothing_factor: { ...harmless(0), advice: 'use `temperature` and `dynatemp_range`' },
  guidance_scale: { ...harmless(1), advice: 'write it in a system message' },
  negative_prompt: { ...harmless(''), advice: 'write it in a system message' },
  samplers: notOffered,
  sampler_order: notOffered,
  sampler_priority: notOffered,
  logits_processors: { ...harmless([]), advice: 'use `logit_bias`, `bad_words` or `allowed_token_ids`' },
  custom_logit_processor: { advice: 'use `logit_bias`, `bad_words` or `allowed_token_ids`' },
  options: { ...harmless({}), advice: 'set its fields next to `messages`, such as `temperature`' },
  prompt: { ...harmless('', []), advice: 'use `messages`, or `POST /completions`' },
  input: { ...harmless('', []), advice: 'use `messages`, or `POST /responses`' },
  chat_template: { advice: 'use `chatTemplate`, a setting of the model' },
  num_ctx: { advice: 'use `contextLength`, a setting of the model' },
  prefix: { ...harmless(false, ''), advice: 'use `continue_final_message`' },
  safe_prompt: { ...off, advice: 'write it in a system message' },
  transforms: { ...harmless([]), advice: 'use `truncate_prompt_tokens`' },
  mm_processor_kwargs: { ...harmless({}), advice: 'use `detail` of the picture' },
  suffix: { ...harmless(''), advice: 'use `POST /completions`' },
  echo: { ...off, advice: 'use `POST /completions`' },
  think: { as: '`enable_thinking`, or a text as `reasoning_effort`', to: toThinking },
  thinking: { advice: 'use `enable_thinking`' },
  reasoning: { advice: 'use `reasoning_effort`' },
  reasoning_format: {
    ...harmless('auto', 'deepseek', 'parsed'),
    advice: 'reasoning is always separate, as `reasoning_content`',
  },
  separate_reasoning: { ...harmless(true), advice: 'reasoning is always separate, as `reasoning_content`' },
  thinking_token_budget: { advice: 'use `max_tokens` or `enable_thinking`' },
  thinking_budget: { advice: 'use `max_tokens` or `enable_thinking`' },
  reasoning_budget: { ...harmless(-1), advice: 'use `max_tokens` or `enable_thinking`' },
  prompt_logprobs: { ...off, advice: 'use `echo` and `logprobs` of `POST /completions`' },
  logprob_token_ids: { advice: 'use `top_logprobs`' },
  n_probs: { ...harmless(0), advice: 'use `logprobs` and `top_logprobs`' },
  return_token_ids: { ...off, advice: 'use `POST /tokenize`' },
  return_tokens_as_token_ids: { ...off, advice: 'use `POST /tokenize`' },
  lora_path: { advice: 'name a model that has the adapter in its weights' },
  lora: { ...harmless([]), advice: 'name a model that has the adapter in its weights' },
  adapter_id: { advice: 'name a model that has the adapter in its weights' },
  ...ignoredFields(
    'cache_prompt cache_salt guided_decoding_backend id_slot keep_alive metadata num_batch num_gpu ' +
      'num_thread priority prompt_cache_key prompt_cache_retention provider request_id ' +
      'return_progress route safety_identifier service_tier session_id spaces_between_special_tokens ' +
      'store stream_reasoning timings_per_token usage user',
  ),
} satisfies ForeignFields;
