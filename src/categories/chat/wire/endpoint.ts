import type { Endpoint } from '../../../contracts/endpoint.ts';
import { createId, fingerprintOf, unixTime } from '../../../server/headers.ts';
import { jsonResponse } from '../../../server/responses.ts';
import { toFrame } from '../../../server/sse.ts';
import { sinceRestart, type ChatEvent } from '../events.ts';
import type { ChatRequestInput } from '../request.ts';
import { fromChatRequest, type ChatCall } from './from-request.ts';
import { chatCompletionChunkSchema, chatCompletionSchema, chatRequestSchema } from './schema.ts';
import { createChunker } from './to-chunks.ts';
import { toChatCompletion } from './to-response.ts';

/** `POST /chat/completions` */
export const chatCompletions: Endpoint<ChatCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/chat/completions',
  operationId: 'createChatCompletion',
  summary: 'Answer a conversation, at once or as a stream of server-sent events.',
  requestBody: { name: 'ChatCompletionRequest', schema: chatRequestSchema },
  responses: {
    'application/json': { name: 'ChatCompletion', schema: chatCompletionSchema },
    'text/event-stream': { name: 'ChatCompletionChunk', schema: chatCompletionChunkSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: fromChatRequest,
  async answer(run, { request, stream, includeUsage, continuousUsage }) {
    const head = {
      id: createId('chatcmpl-'),
      created: unixTime(),
      model: run.model.id,
      systemFingerprint: `fp_${fingerprintOf(run.model)}`,
    };
    const options = { responseId: head.id };
    if (!stream) {
      const events = sinceRestart(await run.collect(request, options));
      const response = jsonResponse(200, toChatCompletion(events, head));
      return { ...response, headers: { ...response.headers, ...events.map(toolsHeader).find(Boolean) } };
    }
    let toolsUsed: Record<string, string> | undefined;
    const choices = request.n ?? 1;
    const toChunks = createChunker(head, { choices, includeUsage, continuousUsage });
    const toFrames = (event: ChatEvent): string => {
      toolsUsed ??= toolsHeader(event);
      return toChunks(event).map(toFrame).join('');
    };
    const response = await run.stream(request, toFrames, options);
    return { ...response, headers: { ...response.headers, ...toolsUsed } };
  },
};

/** Names the tools that the model was offered, where it doesn't take all that were sent. */
export function toolsHeader(event: ChatEvent): Record<string, string> | undefined {
  if (event.type !== 'prompt-end' || event.toolsUsed === undefined) return undefined;
  return { 'x-slashv1-tools-used': event.toolsUsed.join(', ') };
}
