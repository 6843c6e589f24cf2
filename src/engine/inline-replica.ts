import type { Pipeline } from '../contracts/category.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { driveRun } from './drive-run.ts';
import { loadError, loadFaultOf } from './load-error.ts';
import type { LoadPipeline } from './protocol.ts';
import {
  closedBeforeLoad,
  type Changing,
  type Replica,
  type ReplicaEvent,
  type ReplicaState,
  type StartReplica,
} from './replica.ts';

/**
 * Replicas in the calling process, for scripts and unit tests: the caller isn't protected from crashes and blocking
 * steps, and a run that ignores its cancellation keeps its slot until it ends.
 */
export function inlineReplicas(loadPipeline: LoadPipeline): StartReplica {
  return (spec, listener) => {
    const firstLoad = createDeferred();
    const runs = new Map<AbortController, Promise<void>>();
    let pipeline: Pipeline | undefined;
    let closed: Promise<void> | undefined;
    const replica: Changing<Replica> = {
      state: 'loading',
      error: undefined,
      info: undefined,
      concurrency: 0,
      restartsInMs: 0,
      isLooping: false,
      loaded: firstLoad.promise,
      get upstreams() {
        return pipeline?.upstreams?.();
      },
      get running() {
        return runs.size;
      },
      start(request, observer, labels = {}) {
        const controller = new AbortController();
        const { signal } = controller;
        const drive = async (): Promise<void> => {
          await Promise.resolve();
          const error = await driveRun(pipeline!, request, { ...labels, signal }, (event) =>
            observer.onEvents([event]),
          );
          runs.delete(controller);
          observer.onEnd(error);
        };
        runs.set(controller, drive());
        return { cancel: () => controller.abort() };
      },
      close: () => (closed ??= close()),
    };
    const loading = load();
    return replica;

    async function load(): Promise<void> {
      // Never synchronously, whatever the loader does.
      await Promise.resolve();
      const startedAt = performance.now();
      try {
        pipeline = await loadPipeline(spec, (progress) => (replica.loadProgress = progress));
        const { info, concurrency, reserve, runtime } = pipeline;
        Object.assign(replica, { info, concurrency, reserve });
        firstLoad.resolve();
        setState('ready', { type: 'load', loadMs: performance.now() - startedAt, runtime });
      } catch (thrown) {
        const error = loadError(spec.id, loadFaultOf(thrown));
        replica.error = error;
        firstLoad.reject(error);
        setState('failed', { type: 'failure', error });
      }
    }

    async function close(): Promise<void> {
      firstLoad.reject(closedBeforeLoad());
      setState('closed');
      await loading;
      await Promise.all(runs.values());
      await pipeline?.close();
    }

    function setState(state: ReplicaState, event?: ReplicaEvent): void {
      if (replica.state === 'closed') return;
      if (event) listener.onEvent(event);
      replica.state = state;
      listener.onChange();
    }
  };
}
