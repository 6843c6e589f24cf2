import type { CategoryRegistry } from '../contracts/category.ts';
import type { ModelOptions, ModelSpec } from '../contracts/model.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { failedStream } from '../concurrency/event-stream.ts';
import { withinTime } from '../concurrency/within-time.ts';
import { fieldError, InferenceError } from '../errors.ts';
import { Observers } from '../observers.ts';
import type { InferenceBase, ModelControl } from '../contracts/engine.ts';
import { assertDuration, resolveLimits } from './limits.ts';
import { createModelQueue, type ModelQueue } from './model-queue.ts';
import type { InferenceObserver } from '../contracts/observer.ts';
import type { StartReplica } from './replica.ts';
import { Room, type RoomLimits } from './room.ts';
import { watchRun } from './run-watch.ts';
import { quote } from '../core/text/quote.ts';

const defaultGraceMs = 10_000;

export interface EngineOptions extends RoomLimits {
  /** Model id → where it comes from, and its limits. */
  readonly models: Readonly<Record<string, ModelOptions>>;
  /** `childReplicas(…)` or `inlineReplicas(…)` */
  readonly startReplica: StartReplica;
  readonly categories: CategoryRegistry;
  readonly observers?: readonly InferenceObserver[] | undefined;
  /** Whether a model takes memory of this machine; default: every model does. */
  readonly takesRoom?: ((options: ModelOptions) => boolean) | undefined;
}

/** Runs complete requests of any category on the models that it has. */
export type Engine = InferenceBase & Required<Pick<InferenceBase, 'observe'>> & ModelControl<ModelOptions>;

/** Begins to load all models, those aside that load on demand. */
export function createEngine({
  models,
  startReplica,
  categories,
  observers: given = [],
  maxLoadedModels,
  maxLoadedBytes,
  takesRoom = () => true,
}: EngineOptions): Engine {
  const isRoomLimited = (maxLoadedModels ?? maxLoadedBytes) !== undefined;
  const room = new Room({ maxLoadedModels, maxLoadedBytes });
  const observers = new Observers<InferenceObserver>();
  const queues = new Map<string, ModelQueue>();
  const residents = new Set<string>();
  /** Removed ones that have not ended yet. */
  const leaving = new Set<Promise<void>>();

  const configure = (id: string, options: ModelOptions) => {
    const { replicas, maxQueue, deadlineMs, loadOnDemand, idleUnloadMs, ...settings } = options;
    const isInRoom = takesRoom(options);
    const wanted = { replicas, maxQueue, deadlineMs, loadOnDemand, idleUnloadMs };
    const limits = resolveLimits(wanted, isRoomLimited && isInRoom);
    return { spec: { ...settings, id } as ModelSpec, limits, room: isInRoom ? room : undefined };
  };
  type Configured = ReturnType<typeof configure>;
  const assertRoom = (added: readonly Configured[]): void => {
    const all = added.filter(({ room: own }) => own);
    const always = all.filter(({ limits }) => !limits.loadOnDemand).length + residents.size;
    const most = maxLoadedModels ?? Infinity;
    if (always > most || (always === most && all.some(({ limits }) => limits.loadOnDemand))) {
      throw fieldError(
        'maxLoadedModels',
        `expected room beside the ${always} models that don't load on demand, got ${maxLoadedModels}`,
      );
    }
  };
  const start = ({ spec, limits, room: own }: Configured): void => {
    if (own && !limits.loadOnDemand) residents.add(spec.id);
    queues.set(spec.id, createModelQueue(spec, limits, { startReplica, observers, room: own }));
  };
  const find = (id: string): ModelQueue => {
    const queue = queues.get(id);
    if (!queue) throw modelNotFound(id);
    return queue;
  };

  const configured = Object.entries(models).map(([id, options]) => configure(id, options));
  assertRoom(configured);
  for (const model of configured) start(model);

  let isDraining = false;
  let isClosed = false;
  const drained = createDeferred();

  const engine: Engine = {
    run(name, request, options = {}) {
      // Whoever asks has checked the name.
      const category = categories.get(name)!;
      const queue = queues.get(request.model);
      if (queue) return queue.submit(request, options, category);
      const { model } = request;
      const error = modelNotFound(model);
      watchRun(observers, category, { request, model, isKnownModel: false }, options)?.end(error);
      return failedStream(error);
    },
    models: () => [...queues.values()].map((queue) => queue.info),
    status: () =>
      [...queues.values()].map(({ status }) =>
        isDraining && (status.state === 'ready' || status.state === 'unloaded')
          ? Object.assign({}, status, { state: 'draining' as const })
          : status,
      ),
    observe(observer) {
      if (observers.add(observer)) observers.tellOne(observer, 'onAttach', engine);
      return () => observers.remove(observer);
    },
    async ready() {
      await Promise.all([...queues.values()].map((queue) => queue.ready()));
    },
    add(id, options) {
      if (isClosed) throw new InferenceError('overloaded', 'The service is shutting down.');
      if (queues.has(id)) throw fieldError('id', `expected one that is free, got ${quote(id)}`);
      const model = configure(id, options);
      assertRoom([model]);
      start(model);
    },
    async remove(id, { graceMs = defaultGraceMs } = {}) {
      assertDuration('graceMs', graceMs);
      const queue = find(id);
      queues.delete(id);
      residents.delete(id);
      const closed = queue.remove(graceMs, modelNotFound(id));
      leaving.add(closed);
      await closed.finally(() => leaving.delete(closed));
    },
    load: async (id) => find(id).load(),
    unload: async (id) => find(id).unload(),
    reload: async (id) => find(id).reload(),
    async close({ graceMs = defaultGraceMs, drainDelayMs = 0 } = {}) {
      assertDuration('graceMs', graceMs);
      assertDuration('drainDelayMs', drainDelayMs);
      isDraining = true;
      if (drainDelayMs > 0) await withinTime(() => drained.promise, drainDelayMs).catch(() => undefined);
      drained.resolve();
      if (!isClosed) observers.tell('onClose');
      isClosed = true;
      await Promise.all([...[...queues.values()].map((queue) => queue.close(graceMs)), ...leaving]);
    },
  };
  for (const observer of given) engine.observe(observer);
  return engine;
}

function modelNotFound(id: string): InferenceError {
  return new InferenceError('model_not_found', `There is no model ${quote(id)}.`, { param: 'model' });
}
