import { z } from 'zod';
import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { previewPrompt } from '../preview-prompt.ts';
import { messagesEndpoint } from './endpoint.ts';
import { toMessagesError } from './field-names.ts';
import { ignoredFields } from '../../../../validation/foreign-fields.ts';
import {
  messagesForeignFields,
  readMessagesRequest,
  toAskedRequest,
  type MessagesCall,
} from './from-request.ts';
import { messagesRequestSchema } from './schema.ts';

/** `POST /messages/count_tokens` */
export const countTokens: Endpoint<MessagesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/messages/count_tokens',
  operationId: 'countMessageTokens',
  summary: "Count the tokens of a conversation in the dialect of Anthropic's Messages.",
  requestBody: {
    name: 'MessageTokensRequest',
    schema: messagesRequestSchema.pick({
      model: true,
      messages: true,
      system: true,
      tools: true,
      tool_choice: true,
      thinking: true,
    }),
    // Fields of the message whose tokens are counted.
    foreign: {
      ...messagesForeignFields,
      ...ignoredFields(Object.keys(messagesRequestSchema.shape).join(' ')),
    },
  },
  responses: {
    'application/json': { name: 'MessageTokens', schema: z.object({ input_tokens: z.int() }) },
  },
  errors: ['unsupported_feature'],
  errorBody: messagesEndpoint.errorBody,
  read: readMessagesRequest,
  async answer(run, call) {
    const asked = toAskedRequest(call, run.model);
    const { tokens } = await previewPrompt(run, { ...asked, echo: 'text' }, (error) =>
      toMessagesError(error, call.places),
    );
    return jsonResponse(200, { input_tokens: tokens.length });
  },
};
