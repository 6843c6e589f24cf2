import { InferenceError, wrongCategory } from '../errors.ts';
import { Observers } from '../observers.ts';
import type { CallOptions, RunEvent } from '../contracts/run.ts';
import type { CategoryDefinition } from '../contracts/category.ts';
import type { ModelInfo, ModelSpec, ModelStatus } from '../contracts/model.ts';
import { EventStream } from '../concurrency/event-stream.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { withinTime } from '../concurrency/within-time.ts';
import { assertDuration, type ResolvedLimits } from './limits.ts';
import { createLoadableModel } from './loadable-model.ts';
import type { InferenceObserver, ObservedModel } from '../contracts/observer.ts';
import type { Replica, ReplicaEvent, RequestListener, StartReplica } from './replica.ts';
import type { Room } from './room.ts';
import { watchRun } from './run-watch.ts';
import { cancelled, createTicket, type Job, type Ticket } from './ticket.ts';

const unknownCategory = 'unknown';
/** Share of the latest request in the time that the next one is expected to take. */
const latestShare = 0.2;
/** Events of replicas → what observers are told by. */
const hooks = { load: 'onModelLoad', failure: 'onModelFailure', loss: 'onWorkerLoss' } as const;

export type ModelQueue = ReturnType<typeof createModelQueue>;

/** Some categories have a context. */
type QueuedSpec = ModelSpec<{ readonly contextLength?: number | undefined }>;

/** Parts that all models of an engine share. */
export interface QueueSurroundings {
  readonly startReplica: StartReplica;
  readonly observers?: Observers<InferenceObserver> | undefined;
  /** `undefined` for a model that takes no memory here. */
  readonly room?: Room | undefined;
}

/**
 * All requests of one model: as many run as its replicas take at once, a bounded number waits, one more is refused.
 * Owners take turns; each owner's requests run in the order of arrival. A request to a model that isn't loaded loads it.
 */
export function createModelQueue(
  spec: QueuedSpec,
  limits: ResolvedLimits,
  { startReplica, observers = new Observers<InferenceObserver>(), room }: QueueSurroundings,
) {
  const waiting = new FairQueue<Ticket>();
  const running = new Set<Ticket>();
  /** Owner → how many of its requests run. */
  const runsOf = new Map<string | undefined, number>();
  /** Requests that waited when unloading began: they run before it ends. */
  let lastCalls: ReadonlySet<Ticket> = new Set();
  /** How long a request runs, as recent ones did. */
  let averageMs = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  let closed: Promise<void> | undefined;
  let refusal: InferenceError | undefined;
  let onIdle: (() => void) | undefined;
  const isIdle = (): boolean => running.size + waiting.size === 0;
  const model = createLoadableModel({
    specs: limits.replicas.map((settings) => ({ ...spec, ...settings })),
    startReplica,
    room,
    isPinned: !limits.loadOnDemand,
    listener: {
      onChange: modelChanged,
      onEvent: tell,
      onLeave: () => (lastCalls = new Set(waiting)),
      onUnload: (reason) => observers.tell('onModelUnload', observedModel(), { reason }),
      isBusy: () => running.size > 0 || waitsLast(),
      isIdle,
    },
  });

  const queue = {
    /** Facts about the model; until it is loaded, from its settings. */
    get info(): ModelInfo {
      const { id, name = id, category = unknownCategory, contextLength, defaults } = spec;
      const info = model.info ?? { id, name, category, contextLength, created: 0, ownedBy: 'unknown' };
      return defaults === undefined ? info : { ...info, defaults: { ...info.defaults, ...defaults } };
    },
    get status(): ModelStatus {
      const state = currentState();
      const { replicas } = model;
      const progress = state === 'loading' ? replicas?.loadProgress : undefined;
      const upstreams = replicas?.upstreams;
      return {
        id: spec.id,
        state,
        ...(progress && { progress }),
        running: replicas?.running ?? 0,
        waiting: waiting.size,
        ...(upstreams && { upstreams }),
      };
    },
    /** Settles with the latest load; a model that loads on demand needs none. */
    async ready(): Promise<void> {
      if (!limits.loadOnDemand) await model.loaded;
    },
    async load(): Promise<void> {
      if (refusal) throw refusal;
      await model.load();
    },
    /** Resolves when the model isn't loaded any more; requests that run or wait are served before. */
    unload: (): Promise<void> => model.unload('call'),
    /** The request is admitted, or refused, when its first event is asked for. */
    submit(request: unknown, options: CallOptions, category: CategoryDefinition): EventStream<RunEvent> {
      let ticket: Ticket | undefined;
      const stream = new EventStream<RunEvent>({
        onStart: () => {
          const { info } = queue;
          // A model whose category is not known yet is asked when it is loaded.
          const isKnownModel = [category.name, unknownCategory].includes(info.category);
          const watch = watchRun(observers, category, { request, model: spec.id, isKnownModel }, options);
          try {
            if (!isKnownModel) throw wrongCategory(spec.id, info.category, category.name);
            ticket = admit(stream, { request, category: category.name, watch }, options, category);
          } catch (error) {
            watch?.end(error as InferenceError);
            stream.fail(error as InferenceError);
          }
        },
        onReturn: (unread) => ticket?.leave(unread),
      });
      return stream;
    },
    /** Unloads and loads; requests that come meanwhile wait. */
    reload(): Promise<void> {
      void queue.unload();
      return queue.load();
    },
    /** New requests and those that wait are refused, running ones may end. */
    close(graceMs: number): Promise<void> {
      refusal ??= shuttingDown();
      closed ??= close(graceMs, refusal);
      return closed;
    },
    /** As `close`, but requests that wait for a loaded model are served, too. */
    async remove(graceMs: number, reason: InferenceError): Promise<void> {
      refusal ??= reason;
      const { state, isLeaving } = model;
      const endsAt = performance.now() + graceMs;
      if (!closed && state === 'ready' && !isLeaving) await idle(graceMs);
      await queue.close(Math.max(0, endsAt - performance.now()));
    },
  };
  if (!limits.loadOnDemand) void model.load();
  return queue;

  function admit(
    stream: EventStream<RunEvent>,
    job: Job,
    options: CallOptions,
    { isProgress, estimateCost }: CategoryDefinition,
  ): Ticket {
    const { signal, deadlineMs } = options;
    if (deadlineMs !== undefined) assertDuration('deadlineMs', deadlineMs);
    if (signal?.aborted) throw cancelled(signal.reason);
    assertAdmission(deadlineMs ?? limits.deadlineMs, options.owner);
    const ticket = createTicket(job, stream, {
      ...options,
      limitMs: limits.deadlineMs,
      isProgress,
      cost: estimateCost?.(job.request),
      onAbandon: abandon,
    });
    waiting.add(ticket, ticket.owner, ticket.cost);
    dispatch();
    return ticket;
  }

  function assertAdmission(deadlineMs: number, owner: string | undefined): void {
    if (refusal) throw refusal;
    const { id } = spec;
    const { state, replicas } = model;
    if (state === 'failed') {
      const error = loadError();
      // Who comes again finds it loaded.
      if (error.code === 'overloaded') loadForRequests();
      throw error;
    }
    const restartsInMs = state === 'restarting' ? replicas!.restartsInMs : 0;
    if (restartsInMs > deadlineMs || isLooping()) throw restartError();
    // Nobody's requests fill the queue so that it has no place for the first of somebody else.
    const isFirst = waiting.countOf(owner) === 0;
    const most = isFirst ? 2 * limits.maxQueue : limits.maxQueue;
    if (waiting.size >= most && !placeFor(owner)) {
      // Nothing may wait for it, but who comes again finds it loaded.
      if (state === 'unloaded') loadForRequests();
      const turnMs = (averageMs * (waiting.size + 1)) / Math.max(1, replicas?.concurrency ?? 0);
      throw new InferenceError('overloaded', `Model "${id}" is busy and its queue is full.`, {
        retryAfterSeconds: toRetryAfterSeconds(Math.max(restartsInMs, turnMs)),
      });
    }
  }

  function dispatch(): void {
    clearTimeout(idleTimer);
    for (;;) {
      const ticket = next();
      if (!ticket) break;
      const replica = placeFor(ticket.owner)!;
      const { category = ticket.category } = replica.info ?? {};
      if (category === ticket.category) start(ticket, replica);
      else ticket.fail(wrongCategory(spec.id, category, ticket.category));
    }
    if (waiting.size > 0 && model.state === 'unloaded') loadForRequests();
    if (isIdle()) {
      waiting.settle();
      onIdle?.();
    }
    model.settle();
    watchIdleness();
  }

  /** Takes the next request for which there is a place out of the queue. */
  function next(): Ticket | undefined {
    if (!model.free(true)) return undefined;
    const { isLeaving } = model;
    return waiting.take(
      (ticket) => (!isLeaving || lastCalls.has(ticket)) && placeFor(ticket.owner) !== undefined,
    );
  }

  function loadForRequests(): void {
    // The requests get the failure.
    if (!closed) void model.load().catch(() => undefined);
  }

  function watchIdleness(): void {
    const { idleUnloadMs } = limits;
    if (idleUnloadMs === undefined || !isIdle() || model.state !== 'ready') return;
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => void model.unload('idle'), idleUnloadMs).unref();
  }

  /** Whether any of those is left that are run before the model is unloaded. */
  function waitsLast(): boolean {
    for (const ticket of lastCalls) if (waiting.has(ticket)) return true;
    return false;
  }

  function start(ticket: Ticket, replica: Replica): void {
    const startedAt = performance.now();
    running.add(ticket);
    count(ticket.owner, 1);
    model.touch();
    const observer: RequestListener = {
      onEvents: (events) => ticket.push(events),
      onEnd: (error, isUntouched = false) => {
        if (!error) noteDuration(performance.now() - startedAt);
        running.delete(ticket);
        count(ticket.owner, -1);
        model.touch();
        if (isUntouched && mayBeginAgain(ticket)) waiting.add(ticket, ticket.owner, ticket.cost);
        else ticket.end(error);
        dispatch();
      },
    };
    ticket.dispatch(replica.start(ticket.request, observer, ticket.labels));
  }

  function noteDuration(durationMs: number): void {
    const average = averageMs || durationMs;
    averageMs = average + latestShare * (durationMs - average);
  }

  /** Whether the request may wait for another worker. */
  function mayBeginAgain(ticket: Ticket): boolean {
    return ticket.mayBeginAgain && !refusal && !isLooping() && model.state !== 'failed';
  }

  function abandon(ticket: Ticket): void {
    ticket.run?.cancel();
    if (waiting.delete(ticket)) dispatch();
  }

  function modelChanged(): void {
    if (model.state === 'failed') for (const ticket of waiting) ticket.fail(loadError());
    if (isLooping()) for (const ticket of waiting) ticket.fail(restartError());
    dispatch();
  }

  /** Whether workers were lost so often in a row that nothing waits for the next one. */
  function isLooping(): boolean {
    const { state, replicas } = model;
    return state === 'restarting' && replicas!.isLooping;
  }

  function restartError(): InferenceError {
    return new InferenceError('overloaded', `The worker of model "${spec.id}" is being restarted.`, {
      retryAfterSeconds: toRetryAfterSeconds(model.replicas!.restartsInMs),
    });
  }

  function placeFor(owner: string | undefined): Replica | undefined {
    return model.free(!runsOf.has(owner));
  }

  function count(owner: string | undefined, change: 1 | -1): void {
    const runs = (runsOf.get(owner) ?? 0) + change;
    if (runs > 0) runsOf.set(owner, runs);
    else runsOf.delete(owner);
  }

  function currentState(): ModelStatus['state'] {
    if (closed) return 'closed';
    const { state, replicas } = model;
    if (state === 'restarting') return 'loading';
    const upstreams = replicas?.upstreams;
    const isAlone = state === 'ready' && upstreams?.every(({ isHealthy }) => !isHealthy) === true;
    return isAlone ? 'unreachable' : state;
  }

  /** Callers may be anybody, so only the cause has the reason. */
  function loadError(): InferenceError {
    const cause = model.replicas?.error;
    if (cause?.code !== 'overloaded')
      return new InferenceError('worker_failed', `Model "${spec.id}" could not be loaded.`, { cause });
    const { retryAfterSeconds } = cause;
    const message = `Model "${spec.id}" could not be loaded for now.`;
    return new InferenceError('overloaded', message, { cause, retryAfterSeconds });
  }

  async function close(graceMs: number, reason: InferenceError): Promise<void> {
    for (const ticket of waiting) ticket.fail(reason);
    await idle(graceMs);
    for (const ticket of running) ticket.fail(reason);
    clearTimeout(idleTimer);
    await model.close();
    observers.tell('onModelClose', observedModel());
  }

  function observedModel(): ObservedModel {
    const { id, category } = queue.info;
    return { id, category };
  }

  function tell(replica: number, { type, ...details }: ReplicaEvent): void {
    observers.tell(hooks[type], observedModel(), { replica, ...details } as never);
  }

  /** Resolves when nothing runs or waits any more, or after `graceMs`. */
  async function idle(graceMs: number): Promise<void> {
    if (isIdle()) return;
    const idled = new Promise<void>((resolve) => (onIdle = resolve));
    await withinTime(() => idled, graceMs).catch(() => undefined);
  }
}

/** Whole seconds, 1 to 60: clients ignore what is longer. */
function toRetryAfterSeconds(milliseconds: number): number {
  return Math.min(60, Math.max(1, Math.ceil(milliseconds / 1000)));
}

function shuttingDown(): InferenceError {
  return new InferenceError('overloaded', 'The service is shutting down.', { retryAfterSeconds: 1 });
}
