import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import type { ApiResponse } from '../contracts/http.ts';
import type { StreamEnd } from '../contracts/endpoint.ts';
import { toErrorBody } from './errors.ts';
import { createEventStream, eventStreamHeaders, toFrame, type EventStreamSource } from '../http/sse.ts';

type EventStreamParts<Event> = Pick<EventStreamSource<Event>, 'events' | 'toFrames' | 'onTake'> & StreamEnd;

/** Answers with a server-sent event stream; resolves with its first event. A failure after that is its last event. */
export async function eventStreamResponse<Event>(
  call: Call,
  { toErrorFrames = toFrame, ...source }: EventStreamParts<Event>,
): Promise<ApiResponse> {
  const { opened, body } = createEventStream({
    ...source,
    toErrorFrame: (thrown) => {
      const error = InferenceError.from(thrown);
      call.report(error);
      return toErrorFrames(toErrorBody(error, call.requestId));
    },
    keepAliveMs: call.settings.keepAliveMs,
  });
  await opened;
  return { status: 200, headers: eventStreamHeaders, body };
}
