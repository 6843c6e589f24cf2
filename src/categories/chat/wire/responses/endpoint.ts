import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { createId, unixTime } from '../../../../server/headers.ts';
import { jsonResponse } from '../../../../server/responses.ts';
import { toNamedFrame } from '../../../../server/sse.ts';
import { sinceRestart, type ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { toolsHeader } from '../endpoint.ts';
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
    const asked = { ...request, model: run.model.id };
    try {
      if (!stream) {
        const events = sinceRestart(await run.collect(asked, { responseId: id }));
        return jsonResponse(200, toModelResponse(events, head), events.map(toolsHeader).find(Boolean));
      }
      let toolsUsed: Record<string, string> | undefined;
      const streamer = createResponseStreamer(head);
      const toFrames = (event: ChatEvent): string => {
        toolsUsed ??= toolsHeader(event);
        return streamer.push(event).map(toNamedFrame).join('');
      };
      const response = await run.stream(asked, toFrames, {
        responseId: id,
        endFrame: '',
        toErrorFrames: ({ error: { code, message, param } }) =>
          streamer
            .fail({ code, message, param: param === null ? null : toResponsesField(param, places) })
            .map(toNamedFrame)
            .join(''),
      });
      return { ...response, headers: { ...response.headers, ...toolsUsed } };
    } catch (error) {
      throw toResponsesError(error, places);
    }
  },
};
