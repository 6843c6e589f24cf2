import type { SerializedError } from '../errors.ts';
import type { AnyEvent, RunProgress } from './protocol.ts';

export interface Outbox {
  event(id: number, event: AnyEvent): void;
  end(id: number, error: SerializedError | undefined): void;
}

export interface OutboxOptions {
  /** @throws Error if the progress can't be cloned; nothing was sent then */
  send(runs: readonly RunProgress[]): void;
  /** The events of this run can't be cloned; they are dropped. */
  onUnsendable(id: number, error: unknown): void;
}

interface PendingProgress {
  id: number;
  events: AnyEvent[];
  end?: { error: SerializedError | undefined };
}

/**
 * Collects what happens in all runs until the current tick is over, microtasks included, and sends it as one message:
 * a step that brings eight sequences forward costs one message, and it leaves before the next step begins.
 */
export function createOutbox({ send, onUnsendable }: OutboxOptions): Outbox {
  let pending = new Map<number, PendingProgress>();

  const flush = (): void => {
    const runs = [...pending.values()];
    pending = new Map();
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

  const progressOf = (id: number): PendingProgress => {
    let progress = pending.get(id);
    if (!progress) {
      if (pending.size === 0) process.nextTick(flush);
      progress = { id, events: [] };
      pending.set(id, progress);
    }
    return progress;
  };

  return {
    event(id, event) {
      progressOf(id).events.push(event);
    },
    end(id, error) {
      progressOf(id).end = { error };
    },
  };
}

/** The error of a run whose events can't be cloned. */
export const unsendable: SerializedError = { code: 'internal', message: 'Internal error.' };
