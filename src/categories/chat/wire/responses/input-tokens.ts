import { z } from 'zod';
import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { toDialectError } from '../answer.ts';
import { previewPrompt } from '../preview-prompt.ts';
import { toResponsesError } from './field-names.ts';
import { ignoredFields } from '../../../../validation/foreign-fields.ts';
import { readResponsesRequest, responsesForeignFields, type ResponsesCall } from './from-request.ts';
import { responsesRequestSchema } from './schema.ts';

/** `POST /responses/input_tokens` */
export const inputTokens: Endpoint<ResponsesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/responses/input_tokens',
  operationId: 'countResponseTokens',
  summary: 'Count the tokens that the model would read for a response.',
  requestBody: {
    name: 'ResponseTokensRequest',
    schema: responsesRequestSchema.pick({
      model: true,
      input: true,
      instructions: true,
      previous_response_id: true,
      conversation: true,
      tools: true,
      tool_choice: true,
      parallel_tool_calls: true,
      text: true,
      reasoning: true,
    }),
    // Fields of the response whose tokens are counted.
    foreign: {
      ...responsesForeignFields,
      ...ignoredFields(Object.keys(responsesRequestSchema.shape).join(' ')),
    },
  },
  responses: {
    'application/json': {
      name: 'ResponseTokens',
      schema: z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }),
    },
  },
  errors: ['unsupported_feature', 'response_not_found'],
  read: readResponsesRequest,
  async answer(run, { request, formatField, places }) {
    const toError = (thrown: unknown): unknown =>
      toDialectError(thrown, { formatField, toError: (error) => toResponsesError(error, places) });
    const asked: ChatRequestInput = { ...request, model: run.model.id, echo: 'text' };
    const { tokens } = await previewPrompt(run, asked, toError);
    return jsonResponse(200, { object: 'response.input_tokens', input_tokens: tokens.length });
  },
};
