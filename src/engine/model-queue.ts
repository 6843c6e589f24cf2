import { InferenceError } from '../errors.ts';
import { Observers } from '../observers.ts';
import type {
  CallOptions,
  CategoryDefinition,
  ModelInfo,
  ModelSpec,
  RunEvent,
} from '../categories/contract.ts';
import type { ModelStatus } from './contract.ts';
import { EventStream } from '../concurrency/event-stream.ts';
import { assertDuration, type ResolvedLimits } from './limits.ts';
import type { InferenceObserver, ObservedModel } from './observer.ts';
import type { Replica, ReplicaEvent, RunObserver, StartReplica } from './replica.ts';
import { createServiceTimes, toRetryAfterSeconds } from './retry-after.ts';
import { watchRun, type RunWatch } from './run-watch.ts';
import { cancelled, Ticket } from './ticket.ts';
import { wrongCategory } from './wrong-category.ts';

const unknownCategory = 'unknown';

/** Some categories have a context. */
type QueuedSpec = ModelSpec<{ readonly contextLength?: number | undefined }>;

/**
 * All requests of one model: as many run as its replicas take at once, a bounded number waits in the order of arrival,
 * one more is refused.
 */
export class ModelQueue {
  readonly #spec: QueuedSpec;
  readonly #limits: ResolvedLimits;
  readonly #observers: Observers<InferenceObserver>;
  readonly #replicas: readonly Replica[];
  readonly #waiting = new Set<Ticket>();
  readonly #running = new Set<Ticket>();
  readonly #serviceTimes = createServiceTimes();
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(
    spec: QueuedSpec,
    limits: ResolvedLimits,
    startReplica: StartReplica,
    observers = new Observers<InferenceObserver>(),
  ) {
    this.#spec = spec;
    this.#limits = limits;
    this.#observers = observers;
    const onChange = (): void => this.#replicaChanged();
    this.#replicas = Array.from({ length: limits.replicas }, (_, replica) =>
      startReplica(spec, onChange, (event) => this.#tell(replica, event)),
    );
  }

  /** What is known about the model; `contextLength` and others are 0 as long as they are not known. */
  get info(): ModelInfo {
    const loaded = this.#replicas.find((replica) => replica.info)?.info;
    const { id, name = id, category = unknownCategory, contextLength = 0 } = this.#spec;
    return loaded ?? { id, name, category, contextLength, created: 0, ownedBy: 'unknown' };
  }

  get status(): ModelStatus {
    return {
      id: this.#spec.id,
      state: this.#state(),
      running: this.#replicas.reduce((sum, replica) => sum + replica.running, 0),
      waiting: this.#waiting.size,
    };
  }

  async ready(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.loaded));
  }

  /** The request is admitted, or refused, when its first event is asked for. */
  submit(request: unknown, options: CallOptions, category: CategoryDefinition): EventStream<RunEvent> {
    let ticket: Ticket | undefined;
    const stream = new EventStream<RunEvent>({
      onStart: () => {
        const watch = this.#watch(request, options, category);
        try {
          this.#assertCategory(category.name);
          ticket = this.#admit(stream, { request, category: category.name, watch }, options);
        } catch (error) {
          watch?.end(error as InferenceError);
          stream.fail(error as InferenceError);
        }
      },
      onReturn: (unread) => ticket?.leave(unread),
    });
    return stream;
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  #admit(
    stream: EventStream<RunEvent>,
    job: Pick<Ticket, 'request' | 'category' | 'watch'>,
    options: CallOptions,
  ): Ticket {
    const { signal, deadlineMs: given = this.#limits.deadlineMs } = options;
    assertDuration('deadlineMs', given);
    const deadlineMs = Math.min(given, this.#limits.deadlineMs);
    if (signal?.aborted) throw cancelled(signal.reason);
    this.#assertAdmission();
    const ticket = new Ticket(job, stream, {
      signal,
      deadlineMs,
      requestId: options.origin?.requestId,
      onAbandon: (abandoned) => this.#abandon(abandoned),
    });
    this.#waiting.add(ticket);
    this.#dispatch();
    return ticket;
  }

  #assertAdmission(): void {
    if (this.#closed) throw shuttingDown();
    const { id } = this.#spec;
    const state = this.#state();
    if (state === 'failed') throw this.#loadError();
    if (state === 'loading' && this.#replicas.some((replica) => replica.state === 'restarting')) {
      throw new InferenceError('overloaded', `The worker of model "${id}" is being restarted.`, {
        retryAfterSeconds: toRetryAfterSeconds(
          Math.min(...this.#replicas.map((replica) => replica.restartsInMs)),
        ),
      });
    }
    const waiting = this.#waiting.size;
    if (waiting >= this.#limits.maxQueue && !this.#freeReplica()) {
      const places = this.#replicas.reduce((sum, replica) => sum + replica.concurrency, 0);
      throw new InferenceError('overloaded', `Model "${id}" is busy and its queue is full.`, {
        retryAfterSeconds: this.#serviceTimes.retryAfterSeconds(waiting + 1, Math.max(1, places)),
      });
    }
  }

  #dispatch(): void {
    for (const ticket of this.#waiting) {
      const replica = this.#freeReplica();
      if (!replica) return;
      this.#waiting.delete(ticket);
      const { category = ticket.category } = replica.info ?? {};
      if (category === ticket.category) this.#start(ticket, replica);
      else ticket.fail(wrongCategory(this.info, ticket.category));
    }
  }

  #start(ticket: Ticket, replica: Replica): void {
    const startedAt = performance.now();
    this.#running.add(ticket);
    const observer: RunObserver = {
      onEvents: (events) => ticket.push(events),
      onEnd: (error) => {
        if (!error) this.#serviceTimes.record(performance.now() - startedAt);
        this.#running.delete(ticket);
        ticket.end(error);
        this.#dispatch();
        if (this.#running.size === 0) this.#onIdle?.();
      },
    };
    ticket.run = replica.start(ticket.request, observer, ticket.requestId);
    // Not before: who is told may cancel the run.
    ticket.watch?.dispatch();
  }

  #abandon(ticket: Ticket): void {
    this.#waiting.delete(ticket);
    ticket.run?.cancel();
  }

  #replicaChanged(): void {
    if (this.#state() === 'failed') for (const ticket of this.#waiting) ticket.fail(this.#loadError());
    this.#dispatch();
  }

  /** The least busy replica that can take one more. */
  #freeReplica(): Replica | undefined {
    let best: Replica | undefined;
    for (const replica of this.#replicas) {
      if (replica.state !== 'ready' || replica.running >= replica.concurrency) continue;
      if (!best || replica.running < best.running) best = replica;
    }
    return best;
  }

  #state(): ModelStatus['state'] {
    if (this.#closed) return 'closed';
    if (this.#replicas.some((replica) => replica.state === 'ready')) return 'ready';
    return this.#replicas.every((replica) => replica.state === 'failed') ? 'failed' : 'loading';
  }

  /** Callers may be anybody, so only the cause tells them why. */
  #loadError(): InferenceError {
    const cause = this.#replicas.find((replica) => replica.error)?.error;
    return new InferenceError('worker_failed', `Model "${this.#spec.id}" could not be loaded.`, { cause });
  }

  async #close(graceMs: number): Promise<void> {
    for (const ticket of this.#waiting) ticket.fail(shuttingDown());
    if (this.#running.size > 0) await this.#idle(graceMs);
    for (const ticket of this.#running) ticket.fail(shuttingDown());
    await Promise.all(this.#replicas.map((replica) => replica.close()));
    this.#observers.tell('onModelClose', this.#observedModel);
  }

  get #observedModel(): ObservedModel {
    const { id, category } = this.info;
    return { id, category };
  }

  /** A model whose category is not known yet is asked when it is loaded. */
  #assertCategory(wanted: string): void {
    const { info } = this;
    if (info.category !== wanted && info.category !== unknownCategory) throw wrongCategory(info, wanted);
  }

  #watch(
    request: unknown,
    { origin, responseId }: CallOptions,
    category: CategoryDefinition,
  ): RunWatch | undefined {
    const { id: model } = this.#spec;
    const isKnownModel = [category.name, unknownCategory].includes(this.info.category);
    const { name, telemetry } = category;
    const run = { category: name, telemetry, request, model, isKnownModel, origin, responseId };
    return watchRun(this.#observers, run, category);
  }

  #tell(replica: number, event: ReplicaEvent): void {
    const model = this.#observedModel;
    switch (event.type) {
      case 'load':
        this.#observers.tell('onModelLoad', model, { replica, loadMs: event.loadMs });
        return;
      case 'failure':
        this.#observers.tell('onModelFailure', model, { replica, error: event.error });
        return;
      case 'loss': {
        const { reason, restartInMs } = event;
        this.#observers.tell('onWorkerLoss', model, { replica, reason, restartInMs });
      }
    }
  }

  /** Resolves when nothing runs any more, or after `graceMs`. */
  async #idle(graceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function shuttingDown(): InferenceError {
  return new InferenceError('overloaded', 'The service is shutting down.', { retryAfterSeconds: 1 });
}
