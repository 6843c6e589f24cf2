import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { createId, unixTime } from '../../../../http/headers.ts';
import { toNamedFrame } from '../../../../http/sse.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { answerChat, toDialectError } from '../answer.ts';
import { answerInBackground } from './background.ts';
import { toResponsesError, toResponsesField } from './field-names.ts';
import { readResponsesRequest, type ResponsesCall } from './from-request.ts';
import { keepResponse } from './kept-response.ts';
import {
  modelResponseSchema,
  responseEventSchema,
  responsesRequestSchema,
  type ModelResponse,
  type ResponseEvent,
} from './schema.ts';
import { createResponseStreamer, toModelResponse, type ResponseForm } from './to-events.ts';
import { toResponseHead } from './to-head.ts';
import type { ShownTools } from './tools.ts';

/** A client may send more types than fit into a header. */
const mostTypesNamed = 16;

function skippedHeader({ skipped }: ShownTools): Record<string, string> {
  if (skipped.length === 0) return {};
  const more = skipped.length > mostTypesNamed ? ', ...' : '';
  return { 'x-slashv1-tools-skipped': skipped.slice(0, mostTypesNamed).join(', ') + more };
}

/** `POST /responses` */
export const responses: Endpoint<ResponsesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/responses',
  operationId: 'createResponse',
  summary: 'Answer a conversation item by item, at once or as a stream of server-sent events.',
  requestBody: { name: 'ResponseRequest', schema: responsesRequestSchema },
  responses: {
    'application/json': { name: 'Response', schema: modelResponseSchema },
    'text/event-stream': { name: 'ResponseEvent', schema: responseEventSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature', 'response_not_found'],
  read: readResponsesRequest,
  async answer(run, call) {
    const { request, stream, places, tools, body } = call;
    const id = createId('resp_');
    const head = toResponseHead(call, { id, created: unixTime(), model: run.model.id });
    const isSealed = body.include?.includes('reasoning.encrypted_content') === true;
    const form: ResponseForm = {
      seal: isSealed ? run.caller.seal : undefined,
      namespaced: tools.namespaced,
    };
    const errors = {
      formatField: call.formatField,
      toError: (error: unknown) => toResponsesError(error, places),
    };
    const headers = skippedHeader(tools);
    const asked = { ...request, model: run.model.id };
    if (body.background === true) {
      const toError = (error: unknown): unknown => toDialectError(error, errors);
      return answerInBackground(run, { ...call, request: asked }, { ...form, head, headers, toError });
    }
    const keep = (response: ModelResponse): Promise<ModelResponse> => keepResponse(response, call, run);
    return answerChat(run, asked, {
      responseId: id,
      stream,
      headers,
      ...errors,
      toBody: (events) => keep(toModelResponse(events, head, form)),
      createFrames() {
        const { push, fail } = createResponseStreamer(head, form);
        return {
          toFrames(event) {
            const events = push(event);
            const last = events.at(-1);
            if (event.type !== 'usage' || last === undefined || !('response' in last)) {
              return events.map(toNamedFrame).join('');
            }
            // The client may refer to the response as soon as it has this event.
            return keep(last.response).then((response): string => {
              const kept: ResponseEvent = { ...last, response };
              return toNamedFrame(kept);
            });
          },
          endFrame: '',
          toErrorFrames: ({ error: { code, message, param } }) =>
            fail({ code, message, param: param === null ? null : toResponsesField(param, places) })
              .map(toNamedFrame)
              .join(''),
        };
      },
    });
  },
};
