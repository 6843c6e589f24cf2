import type { RunEvent } from '../contracts/run.ts';
import type { SerializedError } from '../errors.ts';
import type { WorkerProgress } from './protocol.ts';

export interface OutboxOptions {
  /** @throws Error if the progress can't be cloned; no part of it was sent */
  send(runs: readonly WorkerProgress[]): void;
  /** The events of this run can't be cloned; they are dropped. */
  onUnsendable(id: number, error: unknown): void;
  /** Adds an event to the pending events of its run; default: at the end. */
  append?(events: RunEvent[], event: RunEvent): void;
  /** Minimum time between two messages, unless a run ends; default 16. */
  readonly intervalMs?: number;
}

interface PendingProgress {
  id: number;
  events: RunEvent[];
  end?: { error: SerializedError | undefined };
}

/**
 * Collects the progress of all runs in the current tick, microtasks included, and sends it as one message: a step of
 * eight sequences costs one message, which is sent before the next step begins.
 */
export function createOutbox({
  send,
  onUnsendable,
  append = (events, event) => events.push(event),
  intervalMs = 16,
}: OutboxOptions) {
  let pending = new Map<number, PendingProgress>();
  let lastSent = -Infinity;
  let lastTick = -Infinity;
  let isTicking = false;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    const runs = [...pending.values()];
    pending = new Map();
    lastSent = performance.now();
    try {
      send(runs);
    } catch {
      for (const run of runs) sendAlone(run);
    }
  };

  const sendAlone = (run: PendingProgress): void => {
    try {
      send([run]);
    } catch (error) {
      if (run.end) send([{ id: run.id, events: [], end: { error: unsendable } }]);
      else onUnsendable(run.id, error);
    }
  };

  /** A step blocks the timer: a message that would be late after the next step is sent slightly early, before it. */
  const endTick = (): void => {
    isTicking = false;
    const now = performance.now();
    const step = now - lastTick;
    lastTick = now;
    const wait = lastSent + intervalMs - now;
    if (wait <= step / 2 || [...pending.values()].some(({ end }) => end)) flush();
    else timer ??= setTimeout(flush, wait);
  };

  const progressOf = (id: number): PendingProgress => {
    if (!isTicking) process.nextTick(endTick);
    isTicking = true;
    let progress = pending.get(id);
    if (!progress) pending.set(id, (progress = { id, events: [] }));
    return progress;
  };

  return {
    event(id: number, event: RunEvent): void {
      append(progressOf(id).events, event);
    },
    end(id: number, error: SerializedError | undefined): void {
      progressOf(id).end = { error };
    },
  };
}

export const unsendable: SerializedError = { code: 'internal', message: 'Internal error.' };
