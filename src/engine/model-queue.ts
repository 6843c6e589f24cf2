import { InferenceError, wrongCategory } from '../errors.ts';
import { Observers } from '../observers.ts';
import type { CallOptions, RunEvent } from '../contracts/run.ts';
import type { CategoryDefinition } from '../contracts/category.ts';
import type { ModelInfo, ModelSpec, ModelStatus } from '../contracts/model.ts';
import { EventStream } from '../concurrency/event-stream.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { withinTime } from '../concurrency/within-time.ts';
import { assertDuration, type ResolvedLimits } from './limits.ts';
import { LoadableModel } from './loadable-model.ts';
import type { InferenceObserver, ObservedModel } from '../contracts/observer.ts';
import type { Replica, RequestListener, StartReplica } from './replica.ts';
import type { Room } from './room.ts';
import { watchRun } from './run-watch.ts';
import { cancelled, createTicket, type Job, type Ticket } from './ticket.ts';

/** Weight of the latest request in the expected duration of the next one. */
const latestShare = 0.2;
/** Replica events → observer hooks. */
const hooks = { load: 'onModelLoad', failure: 'onModelFailure', loss: 'onWorkerLoss' } as const;

const unknownCategory = 'unknown';

/** Some categories have a context. */
type QueuedSpec = ModelSpec<{ readonly contextLength?: number | undefined }>;

/** Shared by all models of an engine. */
export interface QueueContext {
  readonly startReplica: StartReplica;
  readonly observers?: Observers<InferenceObserver> | undefined;
  /** `undefined` for a model that uses no memory here. */
  readonly room?: Room | undefined;
}

/**
 * The request queue of one model: as many requests run as its replicas have slots, a limited number waits, and further
 * requests are rejected. Owners take turns; each owner's requests run in order of arrival. A request to an unloaded
 * model loads it.
 */
export class ModelQueue {
  readonly #spec: QueuedSpec;
  readonly #limits: ResolvedLimits;
  readonly #observers: Observers<InferenceObserver>;
  readonly #model: LoadableModel;
  readonly #waiting = new FairQueue<Ticket>();
  readonly #running = new Set<Ticket>();
  /** Running requests per owner. */
  readonly #runsOf = new Map<string | undefined, number>();
  /** Requests that were waiting when unloading began: they run before it ends. */
  #lastCalls: ReadonlySet<Ticket> = new Set();
  /** Expected duration of a request, from recent ones. */
  #averageMs = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;
  #refusal: InferenceError | undefined;
  #onIdle: (() => void) | undefined;

  constructor(
    spec: QueuedSpec,
    limits: ResolvedLimits,
    { startReplica, observers = new Observers<InferenceObserver>(), room }: QueueContext,
  ) {
    this.#spec = spec;
    this.#limits = limits;
    this.#observers = observers;
    this.#model = new LoadableModel({
      specs: limits.replicas.map((settings) => ({ warmUp: !limits.loadOnDemand, ...spec, ...settings })),
      startReplica,
      room,
      isPinned: !limits.loadOnDemand,
      listener: {
        onChange: () => this.#modelChanged(),
        onEvent: (replica, { type, ...details }) =>
          observers.tell(hooks[type], this.#observed, { replica, ...details } as never),
        onLeave: () => (this.#lastCalls = new Set(this.#waiting)),
        onUnload: (reason) => observers.tell('onModelUnload', this.#observed, { reason }),
        isBusy: () => this.#running.size > 0 || this.#waitsLast(),
        isIdle: () => this.#isIdle,
      },
    });
    if (!limits.loadOnDemand) void this.#model.load();
  }

  /** Facts about the model; before it is loaded, from its settings. */
  get info(): ModelInfo {
    const { id, name = id, category = unknownCategory, contextLength, defaults } = this.#spec;
    const info = this.#model.info ?? { id, name, category, contextLength, created: 0, ownedBy: 'unknown' };
    return defaults === undefined ? info : { ...info, defaults: { ...info.defaults, ...defaults } };
  }

  get status(): ModelStatus {
    const state = this.#closed ? 'closed' : this.#state;
    const { loadProgress, upstreams, running } = this.#model;
    return {
      id: this.#spec.id,
      state,
      ...(state === 'loading' && loadProgress && { progress: loadProgress }),
      running,
      waiting: this.#waiting.size,
      ...(upstreams && { upstreams }),
    };
  }

  /** Settles with the latest load; immediately for a model that loads on demand. */
  async ready(): Promise<void> {
    if (!this.#limits.loadOnDemand) await this.#model.loaded;
  }

  async load(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    await this.#model.load();
  }

  /** Resolves when the model is unloaded; running and waiting requests are served first. */
  unload(): Promise<void> {
    return this.#model.unload('call');
  }

  /** The request is admitted or rejected when its first event is requested. */
  submit(request: unknown, options: CallOptions, category: CategoryDefinition): EventStream<RunEvent> {
    let ticket: Ticket | undefined;
    const stream = new EventStream<RunEvent>({
      onStart: () => {
        const { info } = this;
        // If the category isn't known yet, the check happens after loading.
        const isKnownModel = [category.name, unknownCategory].includes(info.category);
        const watch = watchRun(
          this.#observers,
          category,
          { request, model: this.#spec.id, isKnownModel },
          options,
        );
        try {
          if (!isKnownModel) throw wrongCategory(this.#spec.id, info.category, category.name);
          ticket = this.#admit(stream, { request, category: category.name, watch }, options, category);
        } catch (error) {
          watch?.end(error as InferenceError);
          stream.fail(error as InferenceError);
        }
      },
      onReturn: (unread) => ticket?.leave(unread),
    });
    return stream;
  }

  /** Unloads and loads again; new requests wait meanwhile. */
  reload(): Promise<void> {
    void this.unload();
    return this.load();
  }

  /** Rejects new and waiting requests; running ones may end. */
  close(graceMs: number): Promise<void> {
    this.#refusal ??= shuttingDown();
    this.#closed ??= this.#end(graceMs, this.#refusal);
    return this.#closed;
  }

  /** Like `close`, but also serves requests that wait for a loaded model. */
  async remove(graceMs: number, reason: InferenceError): Promise<void> {
    this.#refusal ??= reason;
    const { state, isLeaving } = this.#model;
    const endsAt = performance.now() + graceMs;
    if (!this.#closed && state === 'ready' && !isLeaving) await this.#idle(graceMs);
    await this.close(Math.max(0, endsAt - performance.now()));
  }

  get #observed(): ObservedModel {
    const { id, category } = this.info;
    return { id, category };
  }

  get #state(): ModelStatus['state'] {
    const { state, upstreams } = this.#model;
    if (state === 'restarting') return 'loading';
    const isAlone = state === 'ready' && upstreams?.every(({ isHealthy }) => !isHealthy) === true;
    return isAlone ? 'unreachable' : state;
  }

  get #isIdle(): boolean {
    return this.#running.size + this.#waiting.size === 0;
  }

  #admit(
    stream: EventStream<RunEvent>,
    job: Job,
    options: CallOptions,
    { isProgress, estimateCost }: CategoryDefinition,
  ): Ticket {
    const { signal, deadlineMs } = options;
    if (deadlineMs !== undefined) assertDuration('deadlineMs', deadlineMs);
    if (signal?.aborted) throw cancelled(signal.reason);
    this.#assertAdmission(deadlineMs ?? this.#limits.deadlineMs, options.owner);
    const ticket = createTicket(job, stream, {
      ...options,
      limitMs: this.#limits.deadlineMs,
      isProgress,
      cost: estimateCost?.(job.request),
      onAbandon: (own) => this.#abandon(own),
    });
    this.#waiting.add(ticket, ticket.owner, ticket.cost);
    this.#dispatch();
    return ticket;
  }

  #assertAdmission(deadlineMs: number, owner: string | undefined): void {
    if (this.#refusal) throw this.#refusal;
    const { id } = this.#spec;
    const { state } = this.#model;
    if (state === 'failed') {
      const error = this.#loadError();
      // A retry will find it loaded.
      if (error.code === 'overloaded') this.#loadForRequests();
      throw error;
    }
    const restartsInMs = state === 'restarting' ? this.#model.restartsInMs : 0;
    if (state === 'restarting' && (restartsInMs > deadlineMs || this.#model.isLooping))
      throw this.#restartError();
    // No owner can fill the queue so far that a different owner's first request is rejected.
    const isFirst = this.#waiting.countOf(owner) === 0;
    const most = isFirst ? 2 * this.#limits.maxQueue : this.#limits.maxQueue;
    if (this.#waiting.size >= most && !this.#placeFor(owner)) {
      // The request can't wait for the model, but a retry will find it loaded.
      if (state === 'unloaded') this.#loadForRequests();
      const turnMs = (this.#averageMs * (this.#waiting.size + 1)) / Math.max(1, this.#model.concurrency);
      throw new InferenceError('overloaded', `Model "${id}" is busy and its queue is full.`, {
        retryAfterSeconds: toRetryAfterSeconds(Math.max(restartsInMs, turnMs)),
      });
    }
  }

  #restartError(): InferenceError {
    return new InferenceError('overloaded', `The worker of model "${this.#spec.id}" is being restarted.`, {
      retryAfterSeconds: toRetryAfterSeconds(this.#model.restartsInMs),
    });
  }

  /** The caller may be anyone, so only the cause contains the reason. */
  #loadError(): InferenceError {
    const cause = this.#model.error;
    if (cause?.code !== 'overloaded')
      return new InferenceError('worker_failed', `Model "${this.#spec.id}" could not be loaded.`, { cause });
    const { retryAfterSeconds } = cause;
    const message = `Model "${this.#spec.id}" could not be loaded for now.`;
    return new InferenceError('overloaded', message, { cause, retryAfterSeconds });
  }

  #dispatch(): void {
    clearTimeout(this.#idleTimer);
    for (;;) {
      const ticket = this.#next();
      if (!ticket) break;
      const replica = this.#placeFor(ticket.owner)!;
      const { category = ticket.category } = replica.info ?? {};
      if (category === ticket.category) this.#start(ticket, replica);
      else ticket.fail(wrongCategory(this.#spec.id, category, ticket.category));
    }
    if (this.#waiting.size > 0 && this.#model.state === 'unloaded') this.#loadForRequests();
    if (this.#isIdle) {
      this.#waiting.settle();
      this.#onIdle?.();
    }
    this.#model.settle();
    const { idleUnloadMs } = this.#limits;
    if (idleUnloadMs !== undefined && this.#isIdle && this.#model.state === 'ready')
      this.#idleTimer = setTimeout(() => void this.#model.unload('idle'), idleUnloadMs).unref();
  }

  /** Takes the next request with a free slot from the queue. */
  #next(): Ticket | undefined {
    if (!this.#model.free(true)) return undefined;
    const { isLeaving } = this.#model;
    return this.#waiting.take(
      (ticket) => (!isLeaving || this.#lastCalls.has(ticket)) && this.#placeFor(ticket.owner) !== undefined,
    );
  }

  #loadForRequests(): void {
    // The requests receive the error.
    if (!this.#closed) void this.#model.load().catch(() => undefined);
  }

  /** Whether any request that must run before unloading is left. */
  #waitsLast(): boolean {
    for (const ticket of this.#lastCalls) if (this.#waiting.has(ticket)) return true;
    return false;
  }

  #start(ticket: Ticket, replica: Replica): void {
    const startedAt = performance.now();
    this.#running.add(ticket);
    this.#count(ticket.owner, 1);
    this.#model.touch();
    const listener: RequestListener = {
      onEvents: ticket.push,
      onEnd: (error, isUntouched = false) => {
        const durationMs = performance.now() - startedAt;
        const averageMs = this.#averageMs || durationMs;
        if (!error) this.#averageMs = averageMs + latestShare * (durationMs - averageMs);
        this.#running.delete(ticket);
        this.#count(ticket.owner, -1);
        this.#model.touch();
        if (isUntouched && this.#mayBeginAgain(ticket)) this.#waiting.add(ticket, ticket.owner, ticket.cost);
        else ticket.end(error);
        this.#dispatch();
      },
    };
    ticket.dispatch(replica, listener);
  }

  /** Whether the request may wait for a new worker. */
  #mayBeginAgain(ticket: Ticket): boolean {
    return ticket.mayBeginAgain && !this.#refusal && !this.#model.isLooping && this.#model.state !== 'failed';
  }

  #abandon(ticket: Ticket): void {
    ticket.run?.cancel();
    if (this.#waiting.delete(ticket)) this.#dispatch();
  }

  #modelChanged(): void {
    if (this.#model.state === 'failed') for (const ticket of this.#waiting) ticket.fail(this.#loadError());
    if (this.#model.isLooping) for (const ticket of this.#waiting) ticket.fail(this.#restartError());
    this.#dispatch();
  }

  #placeFor(owner: string | undefined): Replica | undefined {
    return this.#model.free(!this.#runsOf.has(owner));
  }

  #count(owner: string | undefined, change: 1 | -1): void {
    const runs = (this.#runsOf.get(owner) ?? 0) + change;
    if (runs > 0) this.#runsOf.set(owner, runs);
    else this.#runsOf.delete(owner);
  }

  async #end(graceMs: number, reason: InferenceError): Promise<void> {
    for (const ticket of this.#waiting) ticket.fail(reason);
    await this.#idle(graceMs);
    for (const ticket of this.#running) ticket.fail(reason);
    clearTimeout(this.#idleTimer);
    await this.#model.close();
    this.#observers.tell('onModelClose', this.#observed);
  }

  /** Resolves when no request runs or waits, or after `graceMs`. */
  async #idle(graceMs: number): Promise<void> {
    if (this.#isIdle) return;
    const idled = new Promise<void>((resolve) => (this.#onIdle = resolve));
    await withinTime(() => idled, graceMs).catch(() => undefined);
  }
}

function shuttingDown(): InferenceError {
  return new InferenceError('overloaded', 'The service is shutting down.', { retryAfterSeconds: 1 });
}

/** Whole seconds, 1 to 60: clients ignore longer delays. */
function toRetryAfterSeconds(milliseconds: number): number {
  return Math.min(60, Math.max(1, Math.ceil(milliseconds / 1000)));
}
