import type { ChatEvent } from '../../contract.ts';
import { readJson } from '../../../server/body.ts';
import { findModel } from '../../../server/call.ts';
import { eventStreamResponse } from '../../../server/event-stream-response.ts';
import { createId } from '../../../server/headers.ts';
import { collectRun, startRun, type Run } from '../../../server/run.ts';
import { jsonResponse } from '../../../server/responses.ts';
import type { Route } from '../../../server/route.ts';
import { toFrame } from '../../../server/sse.ts';
import { fromChatRequest } from './from-request.ts';
import { chatCompletionChunkSchema, chatCompletionSchema, chatRequestSchema } from './schema.ts';
import { createChunker } from './to-chunks.ts';
import { toChatCompletion } from './to-response.ts';

/** `POST /chat/completions` */
export const chatCompletions: Route = {
  method: 'POST',
  path: '/chat/completions',
  operationId: 'createChatCompletion',
  summary: 'Answer a conversation, at once or as a stream of server-sent events.',
  isInference: true,
  requestBody: { name: 'ChatCompletionRequest', schema: chatRequestSchema },
  responses: {
    'application/json': { name: 'ChatCompletion', schema: chatCompletionSchema },
    'text/event-stream': { name: 'ChatCompletionChunk', schema: chatCompletionChunkSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  async handle(call) {
    const { request, stream, includeUsage } = fromChatRequest(
      await readJson(call.request, call.settings.maxBodyBytes),
    );
    const { id: model } = findModel(call, request.model, 'chat');
    call.meter.assertModel(model);
    const head = { id: createId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model };
    const run: Run<ChatEvent> = {
      start: (options) => call.inference.chat(request, { ...options, responseId: head.id }),
      count: countTokens,
    };
    if (!stream) {
      const events = await collectRun(call, run);
      const response = jsonResponse(200, toChatCompletion(events, head));
      return { ...response, headers: { ...response.headers, ...events.map(toolsHeader).find(Boolean) } };
    }

    let toolsUsed: Record<string, string> | undefined;
    const toChunks = createChunker(head, { choices: request.n ?? 1, includeUsage });
    const response = await eventStreamResponse(call, {
      events: await startRun(call, run),
      toFrames: (event) => {
        toolsUsed ??= toolsHeader(event);
        return toChunks(event).map(toFrame).join('');
      },
    });
    return { ...response, headers: { ...response.headers, ...toolsUsed } };
  },
};

/** Tells which tools the model was offered, where it doesn't take all that were sent. */
function toolsHeader(event: ChatEvent): Record<string, string> | undefined {
  if (event.type !== 'prompt-end' || event.toolsUsed === undefined) return undefined;
  return { 'x-slashv1-tools-used': event.toolsUsed.join(', ') };
}

/** Every delta is about one token, until the usage tells exactly. */
function countTokens(tokens: number, event: ChatEvent): number {
  switch (event.type) {
    case 'usage':
      return event.promptTokens + event.completionTokens;
    case 'prompt-end':
      return tokens + event.promptTokens;
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-call-delta':
      return tokens + 1;
    default:
      return tokens;
  }
}
