import type { ApiResponse } from '../contracts/http.ts';
import { createDeferred } from '../concurrency/deferred.ts';

/** Headers that keep proxies and middleware from buffering, caching or compressing the event stream. */
export const eventStreamHeaders: ApiResponse['headers'] = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export function toFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function toNamedFrame(event: { readonly type: string }): string {
  return `event: ${event.type}\n${toFrame(event)}`;
}

const doneFrame = 'data: [DONE]\n\n';

const keepAliveFrame = ': keep-alive\n\n';

// Max UTF-16 units of frames buffered for a slow client before the source is paused.
const highWaterMark = 64 * 1024;

export interface EventStreamSource<Event> {
  readonly events: AsyncIterator<Event>;
  /** The frames of an event, or an empty string. A promise delays the next event. */
  readonly toFrames: (event: Event) => string | Promise<string>;
  /** The event's frames are about to be sent. */
  readonly onTake?: ((event: Event) => void) | undefined;
  /** Default `data: [DONE]`. */
  readonly endFrame?: string | undefined;
  /** The frame of a failure after the beginning. */
  readonly toErrorFrame: (error: unknown) => string;
  /** Max silence before a comment, which clients ignore. */
  readonly keepAliveMs: number;
}

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Converts events to a server-sent event stream. Buffered frames are sent together, without waiting for later frames. Returning
 * the body's iterator returns the source immediately, even during a pending read; a failed source is returned once its last
 * frames are sent.
 */
export function createEventStream<Event>(source: EventStreamSource<Event>) {
  const { events, toFrames, onTake, endFrame = doneFrame, toErrorFrame, keepAliveMs } = source;
  let untaken: Event[] = [];
  /** Resolves with the first bytes; rejects if the source fails first. */
  const opened = createDeferred();
  const state = { frames: '', isOpen: false, ended: false };
  /** Wakes the reader that waits for frames. */
  let written: (() => void) | undefined;
  let taken = createDeferred();

  const write = (frames: string): void => {
    if (frames === '' || state.ended) return;
    state.frames += frames;
    state.isOpen = true;
    opened.resolve();
    written?.();
  };
  const end = (): void => {
    state.ended = true;
    clearTimeout(keepAlive);
    written?.();
    taken.resolve();
  };
  const keepAlive = setTimeout(() => {
    if (state.frames === '') write(keepAliveFrame);
    keepAlive.refresh();
  }, keepAliveMs);
  keepAlive.unref();

  /** The source is returned afterwards, so that it can bill all sent output. */
  const lastTaken = async (frames: string): Promise<void> => {
    write(frames);
    clearTimeout(keepAlive);
    if (state.ended) return;
    taken = createDeferred();
    await taken.promise;
  };

  const pump = async (): Promise<void> => {
    try {
      while (!state.ended) {
        const { done, value } = await events.next();
        if (done === true) break;
        untaken.push(value);
        const frames = toFrames(value);
        write(typeof frames === 'string' ? frames : await frames);
        if (state.frames.length > highWaterMark) {
          taken = createDeferred();
          await taken.promise;
        }
      }
      write(endFrame);
      opened.resolve();
    } catch (error) {
      if (state.isOpen) await lastTaken(toErrorFrame(error));
      else opened.reject(error);
      await events.return?.();
    } finally {
      end();
    }
  };
  void pump();

  const body: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      if (state.frames === '' && !state.ended) await new Promise<void>((resolve) => (written = resolve));
      if (state.frames === '') return { done: true, value: undefined };
      const value = state.frames;
      state.frames = '';
      const sent = untaken;
      untaken = [];
      if (onTake) for (const event of sent) onTake(event);
      taken.resolve();
      if (!state.ended) keepAlive.refresh();
      return { done: false, value };
    },
    async return() {
      state.frames = '';
      end();
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
  return { opened: opened.promise, body };
}
