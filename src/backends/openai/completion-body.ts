import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest } from '../../contracts/run.ts';
import { fieldError, type InferenceError } from '../../errors.ts';
import { toAnswerFields } from './chat-body.ts';
import type { ApiDialect } from './server.ts';

/** Servers that put text after the answer, and those that can leave out special tokens. */
const known: Readonly<Record<'suffix' | 'add_special_tokens', readonly ApiDialect[]>> = {
  suffix: ['openai', 'vllm', 'slashv1'],
  add_special_tokens: ['vllm', 'slashv1'],
};

/** A request about prompts → the body by which a server of the wire format continues them. */
export function toCompletionBody(
  request: ChatRequest & CompleteRequest,
  model: string,
  dialect: ApiDialect,
): Record<string, unknown> {
  const { prompts, suffix, addSpecialTokens, echo, stopAfter, logprobs, topLogprobs } = request;
  if (stopAfter !== undefined) throw unsupported('max_tokens', 'expected at least 1, got 0');
  if (echo !== undefined && echo !== 'text')
    throw unsupported('echo', 'log probabilities of a prompt are not supported');
  if (echo === 'text' && prompts.some((prompt) => typeof prompt !== 'string'))
    throw unsupported('echo', 'expected prompts that are texts');
  // Special tokens are put around texts by default.
  const own = { suffix, add_special_tokens: addSpecialTokens === false ? false : undefined };
  for (const name of ['suffix', 'add_special_tokens'] as const) {
    if (own[name] !== undefined && !known[name].includes(dialect))
      throw fieldError(name, "the server that runs this model doesn't know it");
  }
  return {
    ...toAnswerFields(request, model, dialect),
    prompt: prompts.length === 1 ? prompts[0] : prompts,
    ...own,
    ...(logprobs ? { logprobs: topLogprobs } : {}),
  };
}

function unsupported(param: string, reason: string): InferenceError {
  return fieldError(param, `${reason}: the model runs on another server`, { code: 'unsupported_feature' });
}
