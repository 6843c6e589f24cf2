import { createDeferred } from '../concurrency/deferred.ts';
import { failedStream } from '../concurrency/event-stream.ts';
import { withinTime } from '../concurrency/within-time.ts';
import type { CategoryRegistry } from '../contracts/category.ts';
import type { InferenceBase, ModelControl } from '../contracts/engine.ts';
import type { ModelOptions } from '../contracts/model.ts';
import type { InferenceObserver } from '../contracts/observer.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError, InferenceError } from '../errors.ts';
import { Observers } from '../observers.ts';
import { assertDuration } from './limits.ts';
import { modelNotFound, ModelTable, type TableOptions } from './model-table.ts';
import { watchRun } from './run-watch.ts';

const defaultGraceMs = 10_000;

export interface EngineOptions extends TableOptions {
  /** Model id → its source and limits. */
  readonly models: Readonly<Record<string, ModelOptions>>;
  readonly categories: CategoryRegistry;
  readonly observers?: readonly InferenceObserver[] | undefined;
}

/** Runs complete requests of any category on its models. */
export type Engine = InferenceBase & Required<Pick<InferenceBase, 'observe'>> & ModelControl<ModelOptions>;

/** Starts loading all models except those that load on demand. */
export function createEngine(options: EngineOptions): Engine {
  const observers = new Observers<InferenceObserver>();
  const table = new ModelTable(options, observers);
  table.add(options.models);
  let isDraining = false;
  let isClosed = false;
  const drained = createDeferred();

  const engine: Engine = {
    run(name, request, callOptions = {}) {
      // The caller has validated the name.
      const category = options.categories.get(name)!;
      const queue = table.get(request.model);
      if (queue) return queue.submit(request, callOptions, category);
      const { model } = request;
      const error = modelNotFound(model);
      watchRun(observers, category, { request, model, isKnownModel: false }, callOptions)?.end(error);
      return failedStream(error);
    },
    models: () => table.queues.map((queue) => queue.info),
    status: () =>
      table.queues.map(({ status }) =>
        isDraining && (status.state === 'ready' || status.state === 'unloaded')
          ? Object.assign({}, status, { state: 'draining' as const })
          : status,
      ),
    observe(observer) {
      if (observers.add(observer)) observers.tellOne(observer, 'onAttach', engine);
      return () => observers.remove(observer);
    },
    async ready() {
      await Promise.all(table.queues.map((queue) => queue.ready()));
    },
    add(id, model) {
      if (isClosed) throw new InferenceError('overloaded', 'The service is shutting down.');
      if (table.get(id)) throw fieldError('id', `expected one that is free, got ${quote(id)}`);
      table.add({ [id]: model });
    },
    async remove(id, { graceMs = defaultGraceMs } = {}) {
      assertDuration('graceMs', graceMs);
      await table.remove(id, graceMs);
    },
    load: async (id) => table.find(id).load(),
    unload: async (id) => table.find(id).unload(),
    reload: async (id) => table.find(id).reload(),
    async close({ graceMs = defaultGraceMs, drainDelayMs = 0 } = {}) {
      assertDuration('graceMs', graceMs);
      assertDuration('drainDelayMs', drainDelayMs);
      isDraining = true;
      if (drainDelayMs > 0) await withinTime(() => drained.promise, drainDelayMs).catch(() => undefined);
      drained.resolve();
      if (!isClosed) observers.tell('onClose');
      isClosed = true;
      await table.close(graceMs);
    },
  };
  for (const observer of options.observers ?? []) engine.observe(observer);
  return engine;
}
