import type { Endpoint, ErrorBody } from '../../../../contracts/endpoint.ts';
import { createId } from '../../../../http/headers.ts';
import { toNamedFrame } from '../../../../http/sse.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { answerChat } from '../answer.ts';
import { readMessagesRequest, toAskedRequest, type MessagesCall, messagesForeignFields } from './read.ts';
import {
  messageEventSchema,
  messageSchema,
  messagesErrorSchema,
  messagesRequestSchema,
  type MessageEvent,
} from './schema.ts';
import { createMessageStreamer, toMessage } from './print.ts';
import { z } from 'zod';
import { jsonResponse } from '../../../../http/responses.ts';
import { countedBody, previewPrompt } from '../preview-prompt.ts';

/** Error types that differ in Anthropic's API, by code. */
const errorTypes: Readonly<Record<string, string>> = {
  model_not_found: 'not_found_error',
  request_too_large: 'request_too_large',
  overloaded: 'overloaded_error',
  deadline_exceeded: 'timeout_error',
};

/** Anthropic's clients act on these: they shorten the conversation, or resend it as a whole (`thread`). */
function toError({ error: { type, code, param, message } }: ErrorBody) {
  return {
    type: errorTypes[code] ?? (type === 'server_error' ? 'api_error' : type),
    message: code === 'context_length_exceeded' ? `prompt is too long: ${message}` : message,
    ...(param === 'thread' && { details: { error_code: 'thread_unsupported_request' as const } }),
  };
}

export const messagesEndpoint: Endpoint<MessagesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/messages',
  operationId: 'createMessage',
  summary: "Answer a conversation in the dialect of Anthropic's Messages, complete or as a stream.",
  requestBody: { name: 'MessageRequest', schema: messagesRequestSchema, foreign: messagesForeignFields },
  responses: {
    'application/json': { name: 'Message', schema: messageSchema },
    'text/event-stream': { name: 'MessageEvent', schema: messageEventSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  errorBody: {
    name: 'MessageError',
    schema: messagesErrorSchema,
    of: (body, requestId) => ({ type: 'error', error: toError(body), request_id: requestId }),
  },
  read: readMessagesRequest,
  async answer(run, call) {
    const { stream, fieldOf } = call;
    const head = { id: createId('msg_'), model: run.model.id };
    return answerChat(run, toAskedRequest(call, run.model), {
      responseId: head.id,
      stream,
      fieldOf,
      toBody: (events) => toMessage(events, head),
      createFrames() {
        const push = createMessageStreamer(head);
        return {
          toFrames: (event) => push(event).map(toNamedFrame).join(''),
          endFrame: '',
          toErrorFrames(body) {
            const event: MessageEvent = { type: 'error', error: toError(body) };
            return toNamedFrame(event);
          },
        };
      },
    });
  },
};

export const countTokens: Endpoint<MessagesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/messages/count_tokens',
  operationId: 'countMessageTokens',
  summary: "Count the tokens of a conversation in the dialect of Anthropic's Messages.",
  requestBody: countedBody(
    { name: 'MessageTokensRequest', schema: messagesRequestSchema, foreign: messagesForeignFields },
    'model messages system tools tool_choice thinking',
  ),
  responses: {
    'application/json': { name: 'MessageTokens', schema: z.object({ input_tokens: z.int() }) },
  },
  errors: ['unsupported_feature'],
  errorBody: messagesEndpoint.errorBody,
  read: readMessagesRequest,
  async answer(run, call) {
    const asked = toAskedRequest(call, run.model);
    const { tokens } = await previewPrompt(run, { ...asked, echo: 'text' }, call.fieldOf);
    return jsonResponse(200, { input_tokens: tokens.length });
  },
};
