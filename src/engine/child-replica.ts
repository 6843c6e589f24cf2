import { serialize } from 'node:v8';
import { InferenceError } from '../errors.ts';
import type { ModelSpec } from '../contracts/model.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { watchPulse, type Pulse } from './heartbeat.ts';
import { callFor, separateFunctions } from './host-functions.ts';
import { loadError, loadFaultOf, type LoadFault } from './load-error.ts';
import { Assembly, Lanes } from './lanes.ts';
import type { RunMessage, WorkerProgress, WorkerMessage } from './protocol.ts';
import {
  closedBeforeLoad,
  type Changing,
  type Replica,
  type ReplicaListener,
  type ReplicaState,
  type RequestListener,
  type StartReplica,
} from './replica.ts';
import { cancelled } from './ticket.ts';
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from './worker-process.ts';
import { deviceNumber } from '../core/device.ts';

export interface RestartPolicy {
  /** Wait before the first attempt; every further one waits twice as long. Default 250 ms. */
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** A worker that was ready for this long starts the series anew when it is lost. Default 60 s. */
  readonly healthyMs: number;
  /** A model whose worker is lost this often in a row without ever having loaded it has failed. Default 3. */
  readonly maxLoadCrashes: number;
  /** Workers lost in a row up to which requests wait for the next one; then they are refused until it is there. Default 3. */
  readonly maxAwaitedLosses: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  minDelayMs: 250,
  maxDelayMs: 30_000,
  healthyMs: 60_000,
  maxLoadCrashes: 3,
  maxAwaitedLosses: 3,
};

/** Exponential back-off between the workers of one replica. */
export function createBackOff({ minDelayMs, maxDelayMs, healthyMs, maxAwaitedLosses }: RestartPolicy) {
  let losses = 0;
  return {
    get losses() {
      return losses;
    },
    /** Whether so many were lost that nobody should wait for the next one. */
    get isLoop() {
      return losses > maxAwaitedLosses;
    },
    /** Counts a lost worker. @returns milliseconds to wait before the next one is started */
    lost(readyForMs: number): number {
      losses = readyForMs >= healthyMs ? 1 : losses + 1;
      return Math.min(maxDelayMs, minDelayMs * 2 ** (losses - 1));
    },
  };
}

/** Puts a model on one of several GPUs: the variables of its worker process show it that GPU alone, as the first. */
export function placeOnDevice(
  spec: ModelSpec,
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const number = deviceNumber(spec.device);
  if (number === undefined) return { spec, environment: undefined };
  const visible = environment['CUDA_VISIBLE_DEVICES']?.split(',').map((id) => id.trim());
  // A number that this process doesn't see stays unseen, so that loading fails.
  const id = visible === undefined ? String(number) : (visible[number] ?? '');
  return {
    spec: { ...spec, device: 'cuda' } as ModelSpec,
    environment: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: id },
  };
}

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
    return createChildReplica(worker, listener, { ...process, environment }, policy);
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
  readonly owner: string | undefined;
  killTimer: NodeJS.Timeout | undefined;
  /** Whether the worker has it. */
  hasBegun: boolean;
}

/** For the end of a cancelled run, since its cancellation. */
interface Wait {
  readonly graces: number;
  readonly fromCpuMs: number;
}

/** @param number counts the workers of this process from 0 */
function createChildReplica(
  { spec, number }: { readonly spec: ModelSpec; readonly number: number },
  listener: ReplicaListener,
  processOptions: WorkerProcessOptions,
  policy: RestartPolicy,
): Replica {
  const { data, paths, functions } = separateFunctions(spec);
  const { id: model, cancelGraceMs = defaultCancelGraceMs } = spec;
  const backOff = createBackOff(policy);
  const firstLoad = createDeferred();
  const closed = createDeferred();
  const runs = new Map<number, PendingRequest>();
  let worker: WorkerProcess | undefined;
  let outgoing: Lanes | undefined;
  let incoming = new Assembly<readonly WorkerProgress[]>();
  let pulse: Pulse | undefined;
  let lastRunId = 0;
  let startedAt = 0;
  let readyAt = 0;
  let loadMs = 0;
  let restartTimer: NodeJS.Timeout | undefined;
  let restartAt = 0;
  let closeTimer: NodeJS.Timeout | undefined;
  let isClosing = false;
  /** Reason why this process has killed the worker, for the operator. */
  let killReason: string | undefined;

  const replica: Changing<Replica> = {
    state: 'loading',
    error: undefined,
    info: undefined,
    concurrency: 0,
    loaded: firstLoad.promise,
    get running() {
      return runs.size;
    },
    get restartsInMs() {
      return Math.max(0, restartAt - performance.now()) + loadMs;
    },
    get isLooping() {
      return backOff.isLoop;
    },
    start(request, observer, labels) {
      const id = ++lastRunId;
      const owner = labels?.owner;
      runs.set(id, { observer, owner, killTimer: undefined, hasBegun: false });
      outgoing?.add(owner, id, () => serialize({ request, labels } satisfies RunMessage));
      return { cancel: () => cancel(id) };
    },
    close() {
      if (isClosing) return closed.promise;
      isClosing = true;
      clearTimeout(restartTimer);
      const wasReady = replica.state === 'ready';
      setState('closed');
      firstLoad.reject(closedBeforeLoad());
      if (!worker) closed.resolve();
      worker?.hold(true);
      if (wasReady) {
        worker?.send({ type: 'close' });
        closeTimer = setTimeout(() => worker?.kill(), cancelGraceMs);
      } else {
        worker?.kill();
      }
      return closed.promise;
    },
  };
  startWorker();
  return replica;

  function startWorker(): void {
    startedAt = performance.now();
    replica.loadProgress = undefined;
    const watched = watchPulse({
      hangMs: Math.max(leastHangMs, 2 * cancelGraceMs),
      isStopped: () => worker?.isStopped() ?? false,
      onHang: () => abandonWorker('it hung and was stopped'),
      memoryMs: cancelGraceMs,
    });
    pulse = watched;
    try {
      const started = startWorkerProcess(processOptions, {
        onMessage: receive,
        onBeat: watched.read,
        onExit: workerLost,
      });
      worker = started;
      outgoing = new Lanes({ write: started.send, onUnsendable: refuse });
      incoming = new Assembly();
      worker.send({ type: 'load', spec: data, place: number, functions: paths });
    } catch (error) {
      const { message } = error as Error;
      queueMicrotask(() => (replica.info ? workerLost(message) : fail(loadFaultOf(error))));
    }
  }

  /** Others may speak on the channel, too: Node's own loader where it watches, modules that were preloaded. */
  function receive(message: WorkerMessage | null): void {
    if (typeof message !== 'object' || message === null) return;
    if (message.type === 'part') {
      for (const progress of incoming.add(message)?.read() ?? []) advance(progress);
    } else if (message.type === 'begun') {
      const run = runs.get(message.id);
      if (run) run.hasBegun = true;
    } else if (message.type === 'loading') replica.loadProgress = message.progress;
    else if (message.type === 'loaded') workerReady(message);
    else if (message.type === 'upstreams') replica.upstreams = message.upstreams;
    else if (message.type === 'call') {
      const asker = worker;
      void callFor(functions, message).then((answer) => asker?.send(answer));
    } else if (message.type === 'load-failed') {
      if (replica.info) kill(`it could not load the model again: ${message.detail}`);
      else fail(message);
    }
  }

  function advance({ id, events, end }: WorkerProgress): void {
    if (events.length > 0) runs.get(id)?.observer.onEvents(events);
    if (end) finish(id, end.error && InferenceError.deserialize(end.error));
  }

  function finish(id: number, error: InferenceError | undefined): void {
    const run = runs.get(id);
    if (!run) return;
    clearTimeout(run.killTimer);
    runs.delete(id);
    run.observer.onEnd(error);
  }

  /** The error's own words quote what can't be sent. */
  function refuse(id: number, cause: unknown): void {
    const message = 'The request is not plain data, so no worker can take it.';
    queueMicrotask(() => finish(id, new InferenceError('invalid_request', message, { cause })));
  }

  function cancel(id: number): void {
    const run = runs.get(id);
    if (!run || run.killTimer) return;
    worker?.send({ type: 'cancel', id });
    if (outgoing?.drop(run.owner, id)) return queueMicrotask(() => finish(id, cancelled(undefined)));
    limitCancellation(run, { graces: 1, fromCpuMs: pulse?.cpuMs ?? 0 });
  }

  function limitCancellation(run: PendingRequest, wait: Wait): void {
    run.killTimer = setTimeout(() => {
      if (mayWait(wait)) limitCancellation(run, { ...wait, graces: wait.graces + 1 });
      else abandonWorker('it did not answer and was stopped');
    }, cancelGraceMs);
  }

  function mayWait({ graces, fromCpuMs }: Wait): boolean {
    if (!pulse?.isBusy) return false;
    if (graces < busyGraces) return true;
    const usedMs = pulse.cpuMs - fromCpuMs;
    // One that stands still in a step uses nothing.
    const isStarved = usedMs > graces * leastShare * cancelGraceMs;
    return isStarved && usedMs < busyGraces * cancelGraceMs && graces < starvedGraces;
  }

  function abandonWorker(reason: string): void {
    kill(reason);
    if (!isClosing && replica.info) setState('restarting');
    failRuns(reason);
  }

  function kill(reason: string): void {
    killReason = reason;
    worker?.kill();
  }

  function workerReady(message: WorkerMessage & { readonly type: 'loaded' }): void {
    const { type: _, runtime, ...facts } = message;
    if (replica.state !== 'loading' && replica.state !== 'restarting') return;
    Object.assign(replica, facts);
    readyAt = performance.now();
    loadMs = readyAt - startedAt;
    // From now on a request holds the host by the timer of its deadline, an idle worker doesn't.
    worker?.hold(false);
    firstLoad.resolve();
    listener.onEvent({ type: 'load', loadMs, runtime });
    setState('ready');
  }

  function workerLost(reason: string, error?: Error): void {
    worker = undefined;
    pulse?.stop();
    clearTimeout(closeTimer);
    if (isClosing) {
      failRuns(reason);
      closed.resolve();
      return;
    }
    if (replica.state === 'failed') return;
    const wasReady = readyAt > startedAt;
    const delayMs = backOff.lost(wasReady ? performance.now() - readyAt : 0);
    const { losses } = backOff;
    const isGivenUp = !replica.info && losses >= policy.maxLoadCrashes;
    const restartInMs = isGivenUp ? undefined : delayMs;
    listener.onEvent({ type: 'loss', reason: killReason ?? reason, restartInMs });
    killReason = undefined;
    if (isGivenUp) {
      const { detail, ...fault } = loadFaultOf(error ?? reason);
      fail({ ...fault, detail: `its worker was lost ${losses} times while loading (${detail})` });
      return;
    }
    restartAt = performance.now() + delayMs;
    restartTimer = setTimeout(startWorker, delayMs);
    if (replica.info) restartTimer.unref();
    replica.state = replica.info ? 'restarting' : 'loading';
    // Also where it was restarting before: the wait is longer now.
    listener.onChange();
    failRuns(reason);
  }

  function fail(fault: LoadFault): void {
    if (isClosing) return;
    const error = loadError(model, fault);
    replica.error = error;
    firstLoad.reject(error);
    worker?.kill();
    listener.onEvent({ type: 'failure', error });
    setState('failed');
  }

  function failRuns(reason: string): void {
    const message = `The worker of model "${model}" was lost: ${reason}.`;
    const lost = [...runs.values()];
    runs.clear();
    for (const { observer, killTimer, hasBegun } of lost) {
      clearTimeout(killTimer);
      observer.onEnd(new InferenceError('worker_failed', message), !hasBegun);
    }
  }

  function setState(state: ReplicaState): void {
    if (replica.state === state) return;
    replica.state = state;
    listener.onChange();
  }
}
