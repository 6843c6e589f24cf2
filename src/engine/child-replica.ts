import { serialize } from 'node:v8';
import { InferenceError } from '../errors.ts';
import type { ModelInfo, ModelSpec } from '../contracts/model.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { limitCancellation } from './cancel-grace.ts';
import { placeOnDevice } from './place-on-device.ts';
import { createBackOff, defaultRestartPolicy, type BackOff, type RestartPolicy } from './restart-policy.ts';
import { watchPulse, type Pulse } from './heartbeat.ts';
import { callFor, separateFunctions } from './host-functions.ts';
import { loadError, loadFaultOf, type LoadFault } from './load-error.ts';
import { Assembly, Lanes } from './lanes.ts';
import type { RunMessage, WorkerProgress, WorkerMessage } from './protocol.ts';
import {
  closedBeforeLoad,
  type CancelHandle,
  type Replica,
  type ReplicaListener,
  type ReplicaState,
  type RequestLabels,
  type RequestListener,
  type StartReplica,
} from './replica.ts';
import { cancelled } from './ticket.ts';
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from './worker-process.ts';

export interface ChildReplicaOptions extends WorkerProcessOptions {
  readonly restart?: Partial<RestartPolicy> | undefined;
  /** A short request that warms up a worker with this model; default: none. */
  readonly warmUpFor?: ((spec: ModelSpec, info: ModelInfo) => unknown) | undefined;
}

/**
 * Replicas in supervised child processes: a lost worker fails its requests and is replaced, with exponential back-off.
 * An idle worker doesn't keep the calling process alive.
 */
export function childReplicas({ restart, warmUpFor, ...process }: ChildReplicaOptions): StartReplica {
  const policy = { ...defaultRestartPolicy, ...restart };
  let workers = 0;
  return (spec, listener) => {
    const { environment, ...place } = placeOnDevice(spec);
    const number = workers++;
    const parts = { ...place, number, listener, policy, warmUpFor };
    return new ChildReplica({ ...parts, process: { ...process, environment } });
  };
}

const defaultCancelGraceMs = 5000;
const maxWarmUpMs = 1000;
/** Its cached prompts are no one else's. */
const warmUpOwner = 'warm-up';
/** A worker counts as hung without a heartbeat for this long, or for twice the grace if that is longer. */
const minHangMs = 5000;

interface PendingRequest {
  readonly observer: RequestListener;
  readonly owner: string | undefined;
  /** Ends the wait for a cancelled run. */
  stopWait: (() => void) | undefined;
  /** Whether the worker has received the request. */
  hasBegun: boolean;
}

interface ReplicaParts {
  readonly spec: ModelSpec;
  /** Counts the workers of this process from 0. */
  readonly number: number;
  readonly listener: ReplicaListener;
  readonly process: WorkerProcessOptions;
  readonly policy: RestartPolicy;
  readonly warmUpFor: ChildReplicaOptions['warmUpFor'];
}

/** A worker process with a model, and its successors. */
class ChildReplica implements Replica {
  state: ReplicaState = 'loading';
  error: InferenceError | undefined;
  info: Replica['info'];
  concurrency = 0;
  reserve: number | undefined;
  memoryBytes: number | undefined;
  loadProgress: Replica['loadProgress'];
  upstreams: Replica['upstreams'];
  readonly #parts: ReplicaParts;
  readonly #cancelGraceMs: number;
  readonly #sent: ReturnType<typeof separateFunctions<ModelSpec>>;
  readonly #backOff: BackOff;
  readonly #firstLoad = createDeferred();
  readonly #closed = createDeferred();
  readonly #runs = new Map<number, PendingRequest>();
  #worker: WorkerProcess | undefined;
  #outgoing: Lanes | undefined;
  #incoming = new Assembly<readonly WorkerProgress[]>();
  #pulse: Pulse | undefined;
  #lastRunId = 0;
  #startedAt = 0;
  #readyAt = 0;
  #loadMs = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #restartAt = 0;
  #closeTimer: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** Why this process killed the worker, for the operator. */
  #killReason: string | undefined;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#cancelGraceMs = parts.spec.cancelGraceMs ?? defaultCancelGraceMs;
    this.#sent = separateFunctions(parts.spec);
    this.#backOff = createBackOff(parts.policy);
    this.#startWorker();
  }

  get loaded(): Promise<void> {
    return this.#firstLoad.promise;
  }

  get running(): number {
    return this.state === 'loading' ? 0 : this.#runs.size;
  }

  get restartsInMs(): number {
    return Math.max(0, this.#restartAt - performance.now()) + this.#loadMs;
  }

  get isLooping(): boolean {
    return this.#backOff.isLoop;
  }

  start(request: unknown, observer: RequestListener, labels?: RequestLabels): CancelHandle {
    const id = ++this.#lastRunId;
    const owner = labels?.owner;
    this.#runs.set(id, { observer, owner, stopWait: undefined, hasBegun: false });
    this.#outgoing?.add(owner, id, () => serialize({ request, labels } satisfies RunMessage));
    return { cancel: () => this.#cancel(id) };
  }

  close(): Promise<void> {
    if (this.#isClosing) return this.#closed.promise;
    this.#isClosing = true;
    clearTimeout(this.#restartTimer);
    const wasReady = this.state === 'ready';
    this.#setState('closed');
    this.#firstLoad.reject(closedBeforeLoad());
    if (!this.#worker) this.#closed.resolve();
    this.#worker?.hold(true);
    if (wasReady) {
      this.#worker?.send({ type: 'close' });
      this.#closeTimer = setTimeout(() => this.#worker?.kill(), this.#cancelGraceMs);
    } else {
      this.#worker?.kill();
    }
    return this.#closed.promise;
  }

  #startWorker(): void {
    this.#startedAt = performance.now();
    this.loadProgress = undefined;
    const watched = watchPulse({
      hangMs: Math.max(minHangMs, 2 * this.#cancelGraceMs),
      isStopped: () => this.#worker?.isStopped() ?? false,
      onHang: () => this.#abandonWorker('it hung and was stopped'),
      memoryMs: this.#cancelGraceMs,
    });
    this.#pulse = watched;
    try {
      const started = startWorkerProcess(this.#parts.process, {
        onMessage: (message) => this.#receive(message),
        onBeat: watched.read,
        onExit: (reason, error) => this.#workerLost(reason, error),
      });
      this.#worker = started;
      this.#outgoing = new Lanes({
        write: started.send,
        onUnsendable: (id, error) => this.#refuse(id, error),
      });
      this.#incoming = new Assembly();
      this.#worker.send({
        type: 'load',
        spec: this.#sent.data,
        place: this.#parts.number,
        functions: this.#sent.paths,
      });
    } catch (error) {
      const { message } = error as Error;
      queueMicrotask(() => (this.info ? this.#workerLost(message) : this.#fail(loadFaultOf(error))));
    }
  }

  /** Other code may use the channel, too: Node's loader in watch mode, preloaded modules. */
  #receive(message: WorkerMessage | null): void {
    if (typeof message !== 'object' || message === null) return;
    if (message.type === 'part') {
      for (const progress of this.#incoming.add(message)?.read() ?? []) this.#advance(progress);
    } else if (message.type === 'begun') {
      const run = this.#runs.get(message.id);
      if (run) run.hasBegun = true;
    } else if (message.type === 'loading') this.loadProgress = message.progress;
    else if (message.type === 'loaded') this.#workerReady(message);
    else if (message.type === 'upstreams') this.upstreams = message.upstreams;
    else if (message.type === 'call') {
      const asker = this.#worker;
      void callFor(this.#sent.functions, message).then((answer) => asker?.send(answer));
    } else if (message.type === 'load-failed') {
      if (this.info) this.#kill(`it could not load the model again: ${message.detail}`);
      else this.#fail(message);
    }
  }

  #advance({ id, events, end }: WorkerProgress): void {
    if (events.length > 0) this.#runs.get(id)?.observer.onEvents(events);
    if (end) this.#finish(id, end.error && InferenceError.deserialize(end.error));
  }

  #finish(id: number, error: InferenceError | undefined): void {
    const run = this.#runs.get(id);
    if (!run) return;
    run.stopWait?.();
    this.#runs.delete(id);
    run.observer.onEnd(error);
  }

  /** The error's own message would quote the data that can't be sent. */
  #refuse(id: number, cause: unknown): void {
    const message = 'The request is not plain data, so no worker can take it.';
    queueMicrotask(() => this.#finish(id, new InferenceError('invalid_request', message, { cause })));
  }

  #cancel(id: number): void {
    const run = this.#runs.get(id);
    if (!run || run.stopWait) return;
    this.#worker?.send({ type: 'cancel', id });
    if (this.#outgoing?.drop(run.owner, id))
      return queueMicrotask(() => this.#finish(id, cancelled(undefined)));
    run.stopWait = limitCancellation(this.#pulse!, this.#cancelGraceMs, () =>
      this.#abandonWorker('it did not answer and was stopped'),
    );
  }

  #abandonWorker(reason: string): void {
    this.#kill(reason);
    if (!this.#isClosing && this.info) this.#setState('restarting');
    this.#failRuns(reason);
  }

  #kill(reason: string): void {
    this.#killReason = reason;
    this.#worker?.kill();
  }

  #workerReady(message: WorkerMessage & { readonly type: 'loaded' }): void {
    const { type: _, runtime, ...facts } = message;
    if (this.state !== 'loading' && this.state !== 'restarting') return;
    Object.assign(this, facts);
    // Requests may already wait for a worker that replaces a lost one.
    const request = this.state === 'loading' && this.#warmUpRequest(message.info);
    if (request) this.#warmUp(request, () => this.#serve(runtime));
    else this.#serve(runtime);
  }

  #warmUpRequest(info: ModelInfo): unknown {
    const { spec, warmUpFor } = this.#parts;
    return spec.warmUp ? warmUpFor?.(spec, info) : undefined;
  }

  /** Not called back if the worker is lost: the next one serves without a warm-up. */
  #warmUp(request: unknown, onEnd: () => void): void {
    const worker = this.#worker;
    const labels = { owner: warmUpOwner, requestId: 'warm-up' };
    const ended = (): void => {
      clearTimeout(limit);
      if (this.#worker === worker && this.state === 'loading') onEnd();
    };
    const id = this.#lastRunId + 1;
    this.start(request, { onEvents: () => undefined, onEnd: ended }, labels);
    // Not `#cancel`, which would replace a worker that is in a long step.
    const limit = setTimeout(() => worker?.send({ type: 'cancel', id }), maxWarmUpMs);
  }

  #serve(runtime: (WorkerMessage & { readonly type: 'loaded' })['runtime']): void {
    this.#readyAt = performance.now();
    this.#loadMs = this.#readyAt - this.#startedAt;
    // From now on only the deadline timer of a request keeps the host alive; an idle worker doesn't.
    this.#worker?.hold(false);
    this.#firstLoad.resolve();
    this.#parts.listener.onEvent({ type: 'load', loadMs: this.#loadMs, runtime });
    this.#setState('ready');
  }

  #workerLost(reason: string, error?: Error): void {
    this.#worker = undefined;
    this.#pulse?.stop();
    clearTimeout(this.#closeTimer);
    if (this.#isClosing) {
      this.#failRuns(reason);
      this.#closed.resolve();
      return;
    }
    if (this.state === 'failed') return;
    const wasReady = this.#readyAt > this.#startedAt;
    const delayMs = this.#backOff.lost(wasReady ? performance.now() - this.#readyAt : 0);
    const { losses } = this.#backOff;
    const isGivenUp = !this.info && losses >= this.#parts.policy.maxLoadCrashes;
    const restartInMs = isGivenUp ? undefined : delayMs;
    this.#parts.listener.onEvent({ type: 'loss', reason: this.#killReason ?? reason, restartInMs });
    this.#killReason = undefined;
    if (isGivenUp) {
      const { detail, ...fault } = loadFaultOf(error ?? reason);
      this.#fail({ ...fault, detail: `its worker was lost ${losses} times while loading (${detail})` });
      return;
    }
    this.#restartAt = performance.now() + delayMs;
    this.#restartTimer = setTimeout(() => this.#startWorker(), delayMs);
    if (this.#readyAt > 0) this.#restartTimer.unref();
    this.state = this.info ? 'restarting' : 'loading';
    // Also after a previous restart: the delay is longer now.
    this.#parts.listener.onChange();
    this.#failRuns(reason);
  }

  #fail(fault: LoadFault): void {
    if (this.#isClosing) return;
    const error = loadError(this.#parts.spec.id, fault);
    this.error = error;
    this.#firstLoad.reject(error);
    this.#worker?.kill();
    this.#parts.listener.onEvent({ type: 'failure', error });
    this.#setState('failed');
  }

  #failRuns(reason: string): void {
    const message = `The worker of model "${this.#parts.spec.id}" was lost: ${reason}.`;
    const lost = [...this.#runs.values()];
    this.#runs.clear();
    for (const { observer, stopWait, hasBegun } of lost) {
      stopWait?.();
      observer.onEnd(new InferenceError('worker_failed', message), !hasBegun);
    }
  }

  #setState(state: ReplicaState): void {
    if (this.state === state) return;
    this.state = state;
    this.#parts.listener.onChange();
  }
}
