import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { toFrame } from '../../../../http/sse.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { answerChat, createHead } from '../answer.ts';
import { onlyPromptAs } from '../only-prompt.ts';
import { fromCompletionRequest, type CompletionCall } from './from-request.ts';
import { completionRequestSchema, completionSchema, defaultMaxTokens } from './schema.ts';
import { createCompletionChunker, toCompletion } from './to-response.ts';

/** `POST /completions` */
export const completions: Endpoint<CompletionCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/completions',
  operationId: 'createCompletion',
  summary: 'Continue texts or tokens as they are, at once or as a stream of server-sent events.',
  requestBody: { name: 'CompletionRequest', schema: completionRequestSchema },
  responses: {
    'application/json': { name: 'Completion', schema: completionSchema },
    'text/event-stream': { name: 'CompletionChunk', schema: completionSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: fromCompletionRequest,
  async answer(run, { request: asked, stream, isList, formatField, ...delivery }) {
    const head = createHead('cmpl-', run.model);
    const hasDefault = run.model.defaults?.['maxTokens'] !== undefined;
    const request = hasDefault ? asked : { maxTokens: defaultMaxTokens, ...asked };
    const options = { n: request.n ?? 1, logprobs: request.logprobs ?? false };
    return answerChat(run, request, {
      responseId: head.id,
      stream,
      formatField,
      ...(!isList && { toError: onlyPromptAs('prompt') }),
      toBody: (events) => toCompletion(events, head, options),
      createFrames() {
        const toChunks = createCompletionChunker(head, options, delivery);
        return { toFrames: (event) => toChunks(event).map(toFrame).join('') };
      },
    });
  },
};
