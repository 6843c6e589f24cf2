import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { InferenceError } from '../../../errors.ts';
import type { SpeechEvent } from '../events.ts';
import type { EndpointRun } from '../../../contracts/endpoint.ts';
import type { ApiResponse } from '../../../contracts/http.ts';

type Pending = Promise<IteratorResult<SpeechEvent>>;

/**
 * Answers with audio as it is made; resolves with its first piece. Where all of it is there by then, it goes out with its
 * length.
 */
export async function audioResponse(
  run: Pick<EndpointRun<never, SpeechEvent>, 'report'>,
  events: AsyncIterator<SpeechEvent>,
): Promise<ApiResponse> {
  const pieces: Uint8Array[] = [];
  let mediaType = 'application/octet-stream';
  for (;;) {
    const pending = events.next();
    const result = pieces.length === 0 ? await pending : await ifThere(pending);
    if (result === undefined) {
      const headers = {
        'content-type': mediaType,
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      };
      return { status: 200, headers, body: streamOf(run, { pieces, pending, events }) };
    }
    if (result.done === true) {
      const body = Buffer.concat(pieces);
      const headers = { 'content-type': mediaType, 'content-length': String(body.byteLength) };
      return { status: 200, headers, body };
    }
    if (result.value.type === 'speech-start') ({ mediaType } = result.value);
    if (result.value.type === 'audio') pieces.push(result.value.bytes);
  }
}

/** `undefined` for an event that hasn't come yet. */
function ifThere(pending: Pending): Promise<IteratorResult<SpeechEvent> | undefined> {
  return Promise.race([pending, setImmediate(undefined)]);
}

interface Source {
  /** The audio so far. */
  readonly pieces: Uint8Array[];
  /** The event after those. */
  readonly pending: Pending;
  readonly events: AsyncIterator<SpeechEvent>;
}

/** No generator: leaving it must end the run at once, also while a piece is awaited. */
function streamOf(
  run: Pick<EndpointRun<never, SpeechEvent>, 'report'>,
  { pieces, pending, events }: Source,
): AsyncIterableIterator<Uint8Array> {
  let next: Pending | undefined = pending;
  const body: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      const piece = pieces.shift();
      if (piece !== undefined) return { done: false, value: piece };
      try {
        for (;;) {
          const { done, value } = await (next ?? events.next());
          next = undefined;
          if (done === true) return { done: true, value: undefined };
          if (value.type === 'audio') return { done: false, value: value.bytes };
        }
      } catch (thrown) {
        const error = InferenceError.from(thrown);
        run.report(error);
        throw error;
      }
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
  return body;
}
