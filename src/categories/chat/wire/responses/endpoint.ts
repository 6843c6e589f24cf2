import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { createId, unixTime } from '../../../../server/headers.ts';
import { toNamedFrame } from '../../../../server/sse.ts';
import type { ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { answerChat } from '../answer.ts';
import { toResponsesError, toResponsesField } from './field-names.ts';
import { readResponsesRequest, type ResponsesCall } from './from-request.ts';
import { modelResponseSchema, responseEventSchema, responsesRequestSchema } from './schema.ts';
import { createResponseStreamer, toModelResponse } from './to-events.ts';
import { toResponseHead } from './to-head.ts';

/** `POST /responses` */
export const responses: Endpoint<ResponsesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/responses',
  operationId: 'createResponse',
  summary:
    'Answer a conversation item by item, at once or as a stream of server-sent events; nothing is stored.',
  requestBody: { name: 'ResponseRequest', schema: responsesRequestSchema },
  responses: {
    'application/json': { name: 'Response', schema: modelResponseSchema },
    'text/event-stream': { name: 'ResponseEvent', schema: responseEventSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: readResponsesRequest,
  async answer(run, call) {
    const { request, stream, places } = call;
    const id = createId('resp_');
    const head = toResponseHead(call, { id, created: unixTime(), model: run.model.id });
    try {
      return await answerChat(
        run,
        { ...request, model: run.model.id },
        {
          responseId: id,
          stream,
          toBody: (events) => toModelResponse(events, head),
          createFrames() {
            const { push, fail } = createResponseStreamer(head);
            return {
              toFrames: (event) => push(event).map(toNamedFrame).join(''),
              endFrame: '',
              toErrorFrames: ({ error: { code, message, param } }) =>
                fail({ code, message, param: param === null ? null : toResponsesField(param, places) })
                  .map(toNamedFrame)
                  .join(''),
            };
          },
        },
      );
    } catch (error) {
      throw toResponsesError(error, places);
    }
  },
};
