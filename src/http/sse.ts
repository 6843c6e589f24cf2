import { setImmediate } from 'node:timers';
import type { ApiResponse } from '../contracts/http.ts';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';

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

let readers: (() => void)[] = [];

/** Wakes a reader at the end of this event loop turn, together with all others: separate writes would each wake their client. */
function wakeAtEndOfTurn(reader: () => void): void {
  if (readers.length === 0) setImmediate(wakeAll);
  readers.push(reader);
}

function wakeAll(): void {
  const woken = readers;
  readers = [];
  for (const wake of woken) wake();
}

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
 * Converts events to a server-sent event stream. Frames of one event loop turn are sent together, at its end. Returning
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
  let wake: (() => void) | undefined;
  /** Resolves when a reader has taken what waits for it. */
  let taken: Deferred | undefined;

  const write = (frames: string): void => {
    if (frames === '' || state.ended) return;
    state.frames += frames;
    // Resolving again calls into the runtime.
    if (!state.isOpen) opened.resolve();
    state.isOpen = true;
    if (wake) wakeAtEndOfTurn(wake);
    wake = undefined;
  };
  const end = (): void => {
    state.ended = true;
    clearTimeout(keepAlive);
    wake?.();
    taken?.resolve();
  };
  const keepAlive = setTimeout(() => {
    if (state.frames === '') write(keepAliveFrame);
    keepAlive.refresh();
  }, keepAliveMs);
  keepAlive.unref();

  const untilTaken = async (): Promise<void> => {
    taken = createDeferred();
    await taken.promise;
    taken = undefined;
  };

  /** The source is returned afterwards, so that it can bill all sent output. */
  const lastTaken = async (frames: string): Promise<void> => {
    write(frames);
    clearTimeout(keepAlive);
    if (!state.ended) await untilTaken();
  };

  const pump = async (): Promise<void> => {
    try {
      while (!state.ended) {
        const { done, value } = await events.next();
        if (done === true) break;
        untaken.push(value);
        const frames = toFrames(value);
        write(typeof frames === 'string' ? frames : await frames);
        if (state.frames.length > highWaterMark) await untilTaken();
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
      if (!state.ended) {
        await new Promise<void>((resolve) => {
          if (state.frames === '') wake = resolve;
          else wakeAtEndOfTurn(resolve);
        });
      }
      if (state.frames === '') return { done: true, value: undefined };
      const value = state.frames;
      state.frames = '';
      const sent = untaken;
      untaken = [];
      if (onTake) for (const event of sent) onTake(event);
      taken?.resolve();
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
