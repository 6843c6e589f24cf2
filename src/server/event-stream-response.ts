import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import type { ApiResponse } from './contract.ts';
import { toErrorBody } from './errors.ts';
import { createEventStream, eventStreamHeaders, toFrame, type EventStreamSource } from './sse.ts';

/**
 * Answers with a server-sent event stream; resolves with its first event. A failure after that is its last event.
 *
 * @throws what the source throws before its first event
 */
export async function eventStreamResponse<Event>(
  call: Call,
  source: Pick<EventStreamSource<Event>, 'events' | 'toFrames' | 'onTake'>,
): Promise<ApiResponse> {
  const { opened, body } = createEventStream({
    ...source,
    toErrorFrame: (thrown) => {
      const error = InferenceError.from(thrown);
      call.report(error);
      return toFrame(toErrorBody(error, call.requestId));
    },
    keepAliveMs: call.settings.keepAliveMs,
  });
  await opened;
  return { status: 200, headers: eventStreamHeaders, body };
}
