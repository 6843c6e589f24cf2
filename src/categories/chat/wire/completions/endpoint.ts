import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { fieldError } from '../../../../errors.ts';
import { toFrame } from '../../../../http/sse.ts';
import { parseBody } from '../../../../validation/issues.ts';
import { each, foreignTo, readForeign, type ForeignFields } from '../../../../validation/foreign-fields.ts';
import type { ChatEvent } from '../../events.ts';
import type { RawPrompt, ChatRequestInput } from '../../request.ts';
import { toAnswerFormat } from '../answer-format.ts';
import { answerChat, createHead } from '../answer.ts';
import type { ChatCall } from '../chat/read.ts';
import { createFieldMap, formatPlace, promptPlace } from '../field-map.ts';
import { deliveryOf, readFields } from '../request-parts.ts';
import { foreignFields } from '../chat/foreign-fields.ts';
import { completionRequestSchema, completionSchema, defaultMaxTokens } from './schema.ts';
import { createCompletionChunker, toCompletion } from './print.ts';

/** Chat fields that would change the answer. */
const chatFields =
  'messages tools tool_choice documents chat_template_kwargs enable_thinking think reasoning_effort ' +
  'continue_final_message add_generation_prompt';
const completionForeignFields: ForeignFields = {
  ...foreignTo(completionRequestSchema, foreignFields),
  ...each(chatFields, { advice: 'use `POST /chat/completions`' }),
  max_completion_tokens: { as: 'max_tokens' },
  top_logprobs: { advice: 'use `logprobs` with a number' },
};

function readCompletionRequest(body: unknown, nameOf: (field: string) => string): ChatCall {
  const parsed = parseBody(completionRequestSchema, body);
  const { prompt, n, best_of, max_tokens, logprobs, suffix, ...others } = parsed;
  if (best_of != null && best_of !== (n ?? 1))
    throw fieldError('best_of', `expected the value of n, ${n ?? 1}, got ${best_of}`);
  const isList = typeof prompt !== 'string' && typeof prompt[0] !== 'number';
  const { responseFormat, formatField } = toAnswerFormat(parsed);
  const request: ChatRequestInput = {
    ...readFields(others),
    model: parsed.model,
    messages: [],
    prompts: (isList ? prompt : [prompt]) as readonly RawPrompt[],
    suffix: suffix ?? undefined,
    addSpecialTokens: parsed.add_special_tokens ?? undefined,
    responseFormat,
    echo: parsed.echo ? (logprobs == null ? 'text' : 'logprobs') : undefined,
    stopAfter: max_tokens === 0 ? 'prompt' : undefined,
    ...(n != null && { n }),
    ...(max_tokens && { maxTokens: max_tokens }),
    ...(logprobs != null && { logprobs: true, topLogprobs: logprobs }),
  };
  const ofPrompt = isList ? [] : [promptPlace('prompt')];
  const fieldOf = createFieldMap([formatPlace(nameOf(formatField)), ...ofPrompt]);
  return { model: parsed.model, request, fieldOf, ...deliveryOf(parsed) };
}

export const completions: Endpoint<ChatCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/completions',
  operationId: 'createCompletion',
  summary: 'Continue raw texts or tokens, complete or as a stream of server-sent events.',
  requestBody: {
    name: 'CompletionRequest',
    schema: completionRequestSchema,
    foreign: completionForeignFields,
  },
  responses: {
    'application/json': { name: 'Completion', schema: completionSchema },
    'text/event-stream': { name: 'CompletionChunk', schema: completionSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: (body) => readForeign(completionForeignFields, body, readCompletionRequest),
  async answer(run, { request: asked, stream, fieldOf, ...delivery }) {
    const head = createHead('cmpl-', run.model);
    const hasDefault = run.model.defaults?.['maxTokens'] !== undefined;
    const request = hasDefault ? asked : { maxTokens: defaultMaxTokens, ...asked };
    const options = { n: request.n ?? 1, logprobs: request.logprobs ?? false };
    return answerChat(run, request, {
      responseId: head.id,
      stream,
      fieldOf,
      toBody: (events) => toCompletion(events, head, options),
      createFrames() {
        const toChunks = createCompletionChunker(head, options, delivery);
        return { toFrames: (event) => toChunks(event).map(toFrame).join('') };
      },
    });
  },
};
