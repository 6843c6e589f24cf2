import { InferenceError } from '../errors.ts';
import type { LoadProgress, ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { UpstreamStatus } from '../contracts/run.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { placeOnDevice } from './device-place.ts';
import { watchPulse, type Pulse } from './heartbeat.ts';
import { callFor, separateFunctions, type SeparatedFunctions } from './host-functions.ts';
import { loadError } from './load-error.ts';
import type { WorkerProgress, WorkerMessage } from './protocol.ts';
import type {
  Replica,
  ReplicaListener,
  ReplicaState,
  CancelHandle,
  RequestLabels,
  RequestListener,
  StartReplica,
} from './replica.ts';
import { createBackOff, defaultRestartPolicy, type BackOff, type RestartPolicy } from './restart-policy.ts';
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from './worker-process.ts';

export interface ChildReplicaOptions extends WorkerProcessOptions {
  readonly restart?: Partial<RestartPolicy> | undefined;
}

/**
 * Replicas that live in a child process each, supervised: a worker that is lost costs the requests in it and is replaced, with
 * exponential back-off. An idle worker doesn't keep the calling process alive.
 */
export function childReplicas({ restart, ...process }: ChildReplicaOptions): StartReplica {
  const policy = { ...defaultRestartPolicy, ...restart };
  let workers = 0;
  return (spec, listener) => {
    const place = placeOnDevice(spec);
    const { environment } = place;
    const worker = { spec: place.spec, number: workers++ };
    return new ChildReplica(worker, listener, { ...process, environment }, policy);
  };
}

const defaultCancelGraceMs = 5000;
/** Times the grace that a worker gets while it is busy: of the clock, or of processor time where others have the processors. */
const busyGraces = 6;
/** Times the grace after which even a worker that hardly gets a processor is replaced. */
const starvedGraces = 60;
/** Share of a processor that a starved worker uses; one without work uses 0.001. */
const leastShare = 0.004;
/** Without a beat for so long, or for twice the grace where that is longer, a worker counts as hung. */
const leastHangMs = 5000;

interface PendingRequest {
  readonly observer: RequestListener;
  killTimer: NodeJS.Timeout | undefined;
  /** Whether the worker has it. */
  hasBegun: boolean;
}

class ChildReplica implements Replica {
  readonly #spec: SeparatedFunctions<ModelSpec>;
  readonly #place: number;
  readonly #listener: ReplicaListener;
  readonly #processOptions: WorkerProcessOptions;
  readonly #cancelGraceMs: number;
  readonly #maxLoadCrashes: number;
  readonly #backOff: BackOff;
  readonly #firstLoad = createDeferred();
  readonly #closed = createDeferred();
  readonly #runs = new Map<number, PendingRequest>();
  #process: WorkerProcess | undefined;
  #pulse: Pulse | undefined;
  state: ReplicaState = 'loading';
  error: InferenceError | undefined;
  info: ModelInfo | undefined;
  concurrency = 0;
  reserve: number | undefined;
  upstreams: readonly UpstreamStatus[] | undefined;
  loadProgress: LoadProgress | undefined;
  #lastRunId = 0;
  #startedAt = 0;
  #readyAt = 0;
  #loadMs = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #restartAt = 0;
  #closeTimer: NodeJS.Timeout | undefined;
  #closing = false;
  /** Reason why this process has killed the worker, for the operator. */
  #killReason: string | undefined;

  constructor(
    { spec, number }: { spec: ModelSpec; number: number },
    listener: ReplicaListener,
    processOptions: WorkerProcessOptions,
    policy: RestartPolicy,
  ) {
    this.#spec = separateFunctions(spec);
    this.#place = number;
    this.#listener = listener;
    this.#processOptions = processOptions;
    this.#cancelGraceMs = spec.cancelGraceMs ?? defaultCancelGraceMs;
    this.#maxLoadCrashes = policy.maxLoadCrashes;
    this.#backOff = createBackOff(policy);
    this.#startWorker();
  }

  get running(): number {
    return this.#runs.size;
  }

  get restartsInMs(): number {
    return Math.max(0, this.#restartAt - performance.now()) + this.#loadMs;
  }

  get isLooping(): boolean {
    return this.#backOff.isLoop;
  }

  get loaded(): Promise<void> {
    return this.#firstLoad.promise;
  }

  start(request: unknown, observer: RequestListener, labels?: RequestLabels): CancelHandle {
    const id = ++this.#lastRunId;
    try {
      this.#process?.send({ type: 'run', id, request, labels });
    } catch (error) {
      queueMicrotask(() => observer.onEnd(notSendable(error)));
      return { cancel: () => undefined };
    }
    this.#runs.set(id, { observer, killTimer: undefined, hasBegun: false });
    return { cancel: () => this.#cancel(id) };
  }

  close(): Promise<void> {
    if (this.#closing) return this.#closed.promise;
    this.#closing = true;
    clearTimeout(this.#restartTimer);
    const wasReady = this.state === 'ready';
    this.#setState('closed');
    this.#firstLoad.reject(
      new InferenceError('overloaded', 'The service was closed before the model was loaded.'),
    );
    if (!this.#process) this.#closed.resolve();
    this.#process?.hold(true);
    if (wasReady) {
      this.#process?.send({ type: 'close' });
      this.#closeTimer = setTimeout(() => this.#process?.kill(), this.#cancelGraceMs);
    } else {
      this.#process?.kill();
    }
    return this.#closed.promise;
  }

  #startWorker(): void {
    this.#startedAt = performance.now();
    this.loadProgress = undefined;
    const pulse = watchPulse({
      hangMs: Math.max(leastHangMs, 2 * this.#cancelGraceMs),
      isStopped: () => this.#process?.isStopped() ?? false,
      onHang: () => this.#abandonWorker('it hung and was stopped'),
      memoryMs: this.#cancelGraceMs,
    });
    this.#pulse = pulse;
    try {
      const worker = startWorkerProcess(this.#processOptions, {
        onMessage: (message) => this.#receive(message),
        onBeat: (beats) => pulse.read(beats),
        onExit: (reason) => this.#workerLost(reason),
      });
      this.#process = worker;
      const { data, paths } = this.#spec;
      worker.send({ type: 'load', spec: data, place: this.#place, functions: paths });
    } catch (error) {
      queueMicrotask(() => this.#startFailed(error as Error));
    }
  }

  #startFailed({ message }: Error): void {
    if (this.info) this.#workerLost(message);
    else this.#fail(loadError(this.#spec.data.id, { code: 'internal', message: '' }, message));
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'progress') {
      for (const progress of message.runs) this.#advance(progress);
    } else if (message.type === 'begun') {
      const run = this.#runs.get(message.id);
      if (run) run.hasBegun = true;
    } else if (message.type === 'loading') this.loadProgress = message.progress;
    else if (message.type === 'loaded') this.#workerReady(message);
    else if (message.type === 'upstreams') this.upstreams = message.upstreams;
    else if (message.type === 'call') {
      const asker = this.#process;
      void callFor(this.#spec.functions, message).then((answer) => asker?.send(answer));
    } else if (this.info) this.#kill(`it could not load the model again: ${message.detail}`);
    else this.#fail(loadError(this.#spec.data.id, message.error, message.detail));
  }

  #advance({ id, events, end }: WorkerProgress): void {
    const run = this.#runs.get(id);
    if (!run) return;
    if (events.length > 0) run.observer.onEvents(events);
    if (!end) return;
    clearTimeout(run.killTimer);
    this.#runs.delete(id);
    run.observer.onEnd(end.error && InferenceError.deserialize(end.error));
  }

  #cancel(id: number): void {
    const run = this.#runs.get(id);
    if (!run || run.killTimer) return;
    this.#process?.send({ type: 'cancel', id });
    this.#limitCancellation(run, { graces: 1, fromCpuMs: this.#pulse?.cpuMs ?? 0 });
  }

  #limitCancellation(
    run: PendingRequest,
    wait: { readonly graces: number; readonly fromCpuMs: number },
  ): void {
    run.killTimer = setTimeout(() => {
      if (this.#mayWait(wait)) this.#limitCancellation(run, { ...wait, graces: wait.graces + 1 });
      else this.#abandonWorker('it did not answer and was stopped');
    }, this.#cancelGraceMs);
  }

  #mayWait({ graces, fromCpuMs }: { graces: number; fromCpuMs: number }): boolean {
    if (!this.#pulse?.isBusy) return false;
    if (graces < busyGraces) return true;
    const usedMs = this.#pulse.cpuMs - fromCpuMs;
    // One that stands still in a step uses nothing.
    const isStarved = usedMs > graces * leastShare * this.#cancelGraceMs;
    return isStarved && usedMs < busyGraces * this.#cancelGraceMs && graces < starvedGraces;
  }

  #abandonWorker(reason: string): void {
    this.#kill(reason);
    if (!this.#closing && this.info) this.#setState('restarting');
    this.#failRuns(reason);
  }

  #kill(reason: string): void {
    this.#killReason = reason;
    this.#process?.kill();
  }

  #workerReady({
    info,
    concurrency,
    reserve,
    memoryBytes,
    runtime,
  }: WorkerMessage & { readonly type: 'loaded' }): void {
    if (this.state !== 'loading' && this.state !== 'restarting') return;
    this.info = info;
    this.concurrency = concurrency;
    this.reserve = reserve;
    this.#readyAt = performance.now();
    this.#loadMs = this.#readyAt - this.#startedAt;
    // From now on a request holds the host by the timer of its deadline, an idle worker doesn't.
    this.#process?.hold(false);
    this.#firstLoad.resolve();
    this.#listener.onEvent({ type: 'load', loadMs: this.#loadMs, memoryBytes, runtime });
    this.#setState('ready');
  }

  #workerLost(reason: string): void {
    this.#process = undefined;
    this.#pulse?.stop();
    clearTimeout(this.#closeTimer);
    if (this.#closing) {
      this.#failRuns(reason);
      this.#closed.resolve();
      return;
    }
    if (this.state === 'failed') return;
    const wasReady = this.#readyAt > this.#startedAt;
    const delayMs = this.#backOff.lost(wasReady ? performance.now() - this.#readyAt : 0);
    const { losses } = this.#backOff;
    const isGivenUp = !this.info && losses >= this.#maxLoadCrashes;
    this.#listener.onEvent({
      type: 'loss',
      reason: this.#killReason ?? reason,
      restartInMs: isGivenUp ? undefined : delayMs,
    });
    this.#killReason = undefined;
    if (isGivenUp) {
      const message = `its worker was lost ${losses} times while loading (${reason})`;
      this.#fail(loadError(this.#spec.data.id, { code: 'worker_failed', message }, message));
      return;
    }
    this.#restartAt = performance.now() + delayMs;
    this.#restartTimer = setTimeout(() => this.#startWorker(), delayMs);
    if (this.info) this.#restartTimer.unref();
    this.state = this.info ? 'restarting' : 'loading';
    // Also where it was restarting before: the wait is longer now.
    this.#listener.onChange();
    this.#failRuns(reason);
  }

  #fail(error: InferenceError): void {
    if (this.#closing) return;
    this.error = error;
    this.#firstLoad.reject(error);
    this.#process?.kill();
    this.#listener.onEvent({ type: 'failure', error });
    this.#setState('failed');
  }

  #failRuns(reason: string): void {
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    for (const run of runs) {
      clearTimeout(run.killTimer);
      run.observer.onEnd(
        new InferenceError(
          'worker_failed',
          `The worker of model "${this.#spec.data.id}" was lost: ${reason}.`,
        ),
        !run.hasBegun,
      );
    }
  }

  #setState(state: ReplicaState): void {
    if (this.state === state) return;
    this.state = state;
    this.#listener.onChange();
  }
}

function notSendable(error: unknown): InferenceError {
  // The error's own words quote what can't be sent.
  const message = 'The request is not plain data, so no worker can take it.';
  return new InferenceError('invalid_request', message, { cause: error });
}
