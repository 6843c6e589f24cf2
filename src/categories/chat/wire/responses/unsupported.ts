import { assertNoneOf, notOffered, type UnsupportedField } from '../../../../validation/unsupported.ts';
import { unsupportedFields as ofChat } from '../unsupported.ts';

const notStored = 'nothing is stored: send the whole conversation as `input`';
const isFalse = (value: unknown): boolean => value === false;
const isOne = (value: unknown): boolean => value === 1;

/** Fields that would change the answer and that are not honoured: those of chat completions and of stored state. */
const unsupportedFields = new Map<string, UnsupportedField>([
  ...[...ofChat].filter(([name]) => name !== 'reasoning'),
  ...Object.entries({
    previous_response_id: { advice: notStored },
    conversation: { advice: notStored },
    store: { harmless: isFalse, advice: notStored },
    background: { harmless: isFalse, advice: 'nothing is stored: use `stream`' },
    prompt: { advice: 'use `instructions` and `input`' },
    truncation: { harmless: (value: unknown) => value === 'disabled', advice: 'only disabled is offered' },
    context_management: { advice: notOffered },
    moderation: { advice: notOffered },
    messages: { advice: 'use `input`' },
    max_tokens: { advice: 'use `max_output_tokens`' },
    max_completion_tokens: { advice: 'use `max_output_tokens`' },
    response_format: { advice: 'use `text.format`' },
    reasoning_effort: { advice: 'use `reasoning.effort`' },
    verbosity: { advice: 'use `text.verbosity`' },
    n: { harmless: isOne, advice: 'a response has one answer' },
    logprobs: { harmless: isFalse, advice: 'use `include` with message.output_text.logprobs' },
  }),
]);

/**
 * @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honoured
 */
export function assertSupported(body: unknown): void {
  assertNoneOf(unsupportedFields, body);
}
