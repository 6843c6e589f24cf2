import type { ApiResponse } from '../contracts/http.ts';
import { createDeferred } from '../concurrency/deferred.ts';

/** Headers that keep proxies and middleware from buffering, caching or compressing a server-sent event stream. */
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

/** Marks the end of a complete stream. */
const doneFrame = 'data: [DONE]\n\n';

const keepAliveFrame = ': keep-alive\n\n';

// Frames that wait for a slow client, in UTF-16 units, before nothing more is taken from the source.
const highWaterMark = 64 * 1024;

export interface EventStreamSource<Event> {
  readonly events: AsyncIterator<Event>;
  /** The frames of one event, or an empty string. The next event waits for a promise of them. */
  readonly toFrames: (event: Event) => string | Promise<string>;
  /** The frames of the event leave for the client. */
  readonly onTake?: ((event: Event) => void) | undefined;
  /** Marks the end of a complete stream; default `data: [DONE]`. */
  readonly endFrame?: string | undefined;
  /** The frame of a failure after the beginning. */
  readonly toErrorFrame: (error: unknown) => string;
  /** Longest silence; then comes a comment that clients ignore. */
  readonly keepAliveMs: number;
}

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Turns events into the text of a server-sent event stream. Frames that are there at the same time leave together;
 * none waits for a later one. Returning the body's iterator returns the source's at once, also while a read is
 * pending; a source that fails is returned once its last frames have been taken.
 */
export function createEventStream<Event>(source: EventStreamSource<Event>) {
  const { events, toFrames, onTake, endFrame = doneFrame, toErrorFrame, keepAliveMs } = source;
  let untaken: Event[] = [];
  /** Resolves with the first bytes; rejects when the source fails before. */
  const opened = createDeferred();
  const state = { frames: '', isOpen: false, ended: false };
  /** Goes on with what waits for frames. */
  let written = (): void => {};
  let taken = createDeferred();

  const write = (frames: string): void => {
    if (frames === '' || state.ended) return;
    state.frames += frames;
    state.isOpen = true;
    opened.resolve();
    written();
  };
  const end = (): void => {
    state.ended = true;
    clearTimeout(keepAlive);
    written();
    taken.resolve();
  };
  const keepAlive = setTimeout(() => {
    if (state.frames === '') write(keepAliveFrame);
    keepAlive.refresh();
  }, keepAliveMs);
  keepAlive.unref();

  /** The source is returned after that, so that it can charge for all that was sent. */
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
