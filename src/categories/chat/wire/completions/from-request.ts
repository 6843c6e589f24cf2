import { fieldError } from '../../../../errors.ts';
import { parseBody } from '../../../../validation/issues.ts';
import { parameterReader } from '../../../../validation/parameter-schema.ts';
import { assertNoneOf, type UnsupportedFields } from '../../../../validation/unsupported.ts';
import { chatParameters } from '../../parameters.ts';
import type { RawPrompt } from '../../prompts.ts';
import type { ChatRequestInput } from '../../request.ts';
import { toAnswerFormat } from '../answer-format.ts';
import { deliveryOf, type ChatCall } from '../from-request.ts';
import { unsupportedFields } from '../unsupported.ts';
import { completionRequestSchema, type CompletionRequestBody } from './schema.ts';

/** The parsed request without the form of its delivery. */
export interface CompletionCall extends ChatCall {
  /** Whether the prompt is a list of prompts. */
  readonly isList: boolean;
}

const { best_of: _bestOf, echo: _echo, suffix: _suffix, ...unsupported } = unsupportedFields;
const useChat = { advice: 'use `POST /chat/completions`' };

/** Fields of chats, which would change the answer here. */
const unsupportedHere: UnsupportedFields = {
  ...unsupported,
  messages: useChat,
  tools: useChat,
  tool_choice: useChat,
  documents: useChat,
  chat_template_kwargs: useChat,
  enable_thinking: useChat,
  reasoning_effort: useChat,
  continue_final_message: useChat,
  add_generation_prompt: useChat,
  max_completion_tokens: { advice: 'use `max_tokens`' },
  top_logprobs: { advice: 'use `logprobs` with a number' },
};

const readParameters = parameterReader(chatParameters);

/** A request body of `POST /completions` → what the inference takes. */
export function fromCompletionRequest(body: unknown): CompletionCall {
  assertNoneOf(unsupportedHere, body);
  const parsed = parseBody(completionRequestSchema, body);
  const { n, best_of, max_tokens, logprobs, suffix, ...others } = parsed;
  if (best_of != null && best_of !== (n ?? 1))
    throw fieldError('best_of', `expected the value of n, ${n ?? 1}, got ${best_of}`);
  const { responseFormat, formatField } = toAnswerFormat(parsed);
  const request: ChatRequestInput = {
    model: parsed.model,
    messages: [],
    prompts: toPrompts(parsed.prompt),
    suffix: suffix ?? undefined,
    addSpecialTokens: parsed.add_special_tokens ?? undefined,
    stop: parsed.stop ?? undefined,
    logitBias: parsed.logit_bias ?? undefined,
    responseFormat,
    echo: parsed.echo ? (logprobs == null ? 'text' : 'logprobs') : undefined,
    stopAfter: max_tokens === 0 ? 'prompt' : undefined,
  };
  Object.assign(
    request,
    readParameters(others),
    n != null && { n },
    max_tokens && { maxTokens: max_tokens },
    logprobs != null && { logprobs: true, topLogprobs: logprobs },
  );
  const isList = Array.isArray(parsed.prompt) && typeof parsed.prompt[0] !== 'number';
  return { model: parsed.model, request, isList, formatField, ...deliveryOf(parsed) };
}

function toPrompts(prompt: CompletionRequestBody['prompt']): readonly RawPrompt[] {
  const isOne = typeof prompt === 'string' || typeof prompt[0] === 'number';
  return (isOne ? [prompt] : prompt) as readonly RawPrompt[];
}
