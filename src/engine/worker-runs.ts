import { serialize } from 'node:v8';
import { InferenceError, sentence, type SerializedError } from '../errors.ts';
import type { CategoryModels, Pipeline } from '../contracts/category.ts';
import { Turns } from '../concurrency/in-slices.ts';
import { driveRun } from './drive-run.ts';
import { Assembly, Lanes, partBytes, type Arrived, type Part } from './lanes.ts';
import { createOutbox, unsendable } from './outbox.ts';
import type { RunMessage, WorkerProgress } from './protocol.ts';
import { report, send } from './worker-channel.ts';

interface WorkerTask {
  readonly controller: AbortController;
  failure: SerializedError | undefined;
}

/** The runs of a worker, from the parts of their requests to their last events. */
export class WorkerRuns {
  readonly #pipeline: Pipeline;
  readonly #runs = new Map<number, WorkerTask>();
  /** Run → its owner, until its end has been sent. */
  readonly #owners = new Map<number, string | undefined>();
  readonly #incoming = new Assembly<RunMessage>();
  readonly #outgoing = new Lanes({ write: send });
  readonly #turns = new Turns();
  readonly #outbox: ReturnType<typeof createOutbox>;
  #onIdle: (() => void) | undefined;

  constructor(pipeline: Pipeline, append: CategoryModels['append']) {
    this.#pipeline = pipeline;
    this.#outbox = createOutbox({
      ...(append && { append }),
      send: (progress) => this.#sendProgress(progress),
      onUnsendable: (id, error) => {
        report('an event is not plain data', error);
        const run = this.#runs.get(id);
        if (!run) return;
        run.failure ??= unsendable;
        run.controller.abort();
      },
    });
  }

  begin(part: Part): void {
    const message = this.#incoming.add(part);
    if (message) void this.#run(part.id, message);
  }

  cancel(id: number): void {
    this.#incoming.drop(id);
    this.#runs.get(id)?.controller.abort();
  }

  /** Resolves when the last run has ended. */
  async ended(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  async #run(id: number, message: Arrived<RunMessage>): Promise<void> {
    // Immediately: the next step may crash this process.
    send({ type: 'begun', id });
    const active: WorkerTask = { controller: new AbortController(), failure: undefined };
    this.#runs.set(id, active);
    const { signal } = active.controller;
    // Large messages are read one by one, with a turn of the event loop between two.
    if (message.isLarge) await this.#turns.next();
    const { request, labels: { requestId, ...options } = {} } = message.read();
    const { owner } = options;
    this.#owners.set(id, owner);
    const error = await driveRun(this.#pipeline, request, { ...options, signal }, (event) => {
      this.#outbox.event(id, event);
      return this.#outgoing.whenSent(owner);
    });
    const what = `a request failed${requestId === undefined ? '' : ` (${requestId})`}`;
    if (error?.code === 'internal') report(what, error.cause ?? error);
    // A fault of a different machine or of a disk needs no stack of this process.
    else if (error?.cause instanceof Error && /^(?:worker_failed|insufficient_storage)$/.test(error.code)) {
      report(what, new InferenceError(error.code, sentence(`${error.message} ${error.cause.message}`)));
    }
    this.#runs.delete(id);
    this.#outbox.end(id, active.failure ?? error?.serialize());
    if (this.#runs.size === 0) this.#onIdle?.();
  }

  /** Sends small progress of several runs as one message, unless earlier messages are waiting. */
  #sendProgress(progress: readonly WorkerProgress[]): void {
    const together = this.#outgoing.isFree && serialize(progress);
    if (together && together.length <= partBytes)
      this.#outgoing.write({ type: 'part', id: 0, bytes: together, isLast: true });
    else {
      const each = progress.map((one) => [one.id, serialize([one])] as const);
      for (const [id, bytes] of each) this.#outgoing.add(this.#owners.get(id), id, () => bytes);
    }
    for (const { id, end } of progress) if (end) this.#owners.delete(id);
  }
}
