import type { Endpoint } from '../../../../contracts/endpoint.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { answerChat, createHead } from '../answer.ts';
import { foreignFields } from './foreign-fields.ts';
import { fromChatRequest, type ChatCall } from './read.ts';
import { chatCompletionChunkSchema, chatCompletionSchema, chatRequestSchema } from './schema.ts';
import { createFrameWriter } from './print-chunks.ts';
import { toChatCompletion } from './print.ts';

export const chatCompletions: Endpoint<ChatCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/chat/completions',
  operationId: 'createChatCompletion',
  summary: 'Answer a conversation, complete or as a stream of server-sent events.',
  requestBody: { name: 'ChatCompletionRequest', schema: chatRequestSchema, foreign: foreignFields },
  responses: {
    'application/json': { name: 'ChatCompletion', schema: chatCompletionSchema },
    'text/event-stream': { name: 'ChatCompletionChunk', schema: chatCompletionChunkSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: fromChatRequest,
  async answer(run, { request, fieldOf, stream, includeUsage, continuousUsage }) {
    const head = createHead('chatcmpl-', run.model);
    return answerChat(run, request, {
      responseId: head.id,
      stream,
      fieldOf,
      toBody: (events) => toChatCompletion(events, head),
      createFrames() {
        return {
          toFrames: createFrameWriter(head, { choices: request.n ?? 1, includeUsage, continuousUsage }),
        };
      },
    });
  },
};
