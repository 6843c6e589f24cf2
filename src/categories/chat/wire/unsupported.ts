import { assertNoneOf, notOffered, type UnsupportedField } from '../../../validation/unsupported.ts';

const isTextOnly = (value: unknown): boolean =>
  Array.isArray(value) && value.every((kind) => kind === 'text');
/** Name in llama.cpp and others. */
const isParsed = (value: unknown): boolean => ['auto', 'deepseek', 'parsed'].includes(value as string);
const isFalse = (value: unknown): boolean => value === false;
const isZero = (value: unknown): boolean => value === 0;
const isOne = (value: unknown): boolean => value === 1;

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honoured. */
export const unsupportedFields = new Map<string, UnsupportedField>(
  Object.entries({
    functions: { advice: 'use `tools`' },
    function_call: { advice: 'use `tools` and `tool_choice`' },
    modalities: { harmless: isTextOnly, advice: 'only ["text"] is offered' },
    audio: { advice: notOffered },
    prediction: { advice: notOffered },
    reasoning: { advice: 'use `reasoning_effort`' },
    reasoning_format: { harmless: isParsed, advice: 'thinking always comes apart, as `reasoning_content`' },
    thinking: { advice: 'use `enable_thinking`' },
    prompt_logprobs: { harmless: isFalse, advice: notOffered },
    verbosity: { advice: notOffered },
    web_search_options: { advice: notOffered },
    best_of: { harmless: isOne, advice: 'use `n`' },
    echo: { harmless: isFalse, advice: notOffered },
    suffix: { advice: notOffered },
    min_tokens: { harmless: isZero, advice: notOffered },
    ignore_eos: { harmless: isFalse, advice: notOffered },
    stop_token_ids: { advice: 'use `stop`' },
    bad_words: { advice: 'use `logit_bias`' },
    repetition_penalty: { advice: 'use `repeat_penalty`' },
    length_penalty: { advice: notOffered },
    use_beam_search: { harmless: isFalse, advice: notOffered },
    mirostat: { advice: 'use `mirostat_mode`' },
    typical: { advice: 'use `typical_p`' },
    num_predict: { advice: 'use `max_tokens`' },
    n_predict: { advice: 'use `max_tokens`' },
    repeat_last_n: { advice: 'the window is always the last 64 tokens' },
    top_a: { advice: notOffered },
    samplers: { advice: notOffered },
    grammar: { advice: notOffered },
    json_schema: { advice: notOffered },
    guided_json: { advice: notOffered },
    guided_regex: { advice: notOffered },
    guided_choice: { advice: notOffered },
    guided_grammar: { advice: notOffered },
    structured_outputs: { advice: notOffered },
    chat_template: { advice: notOffered },
  }),
);

/**
 * @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honoured
 */
export function assertSupported(body: unknown): void {
  assertNoneOf(unsupportedFields, body);
}
