import type { CategoryRegistry, ModelOptions, ModelSpec } from '../categories/contract.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { failedStream } from '../concurrency/event-stream.ts';
import { InferenceError } from '../errors.ts';
import { Observers } from '../observers.ts';
import type { InferenceBase } from './contract.ts';
import { assertDuration, resolveLimits } from './limits.ts';
import { ModelQueue } from './model-queue.ts';
import type { InferenceObserver } from './observer.ts';
import type { StartReplica } from './replica.ts';
import { watchRun } from './run-watch.ts';
import { quote } from '../core/text/quote.ts';

const defaultGraceMs = 10_000;

/** The models that an engine runs, and how. */
export interface EngineOptions {
  /** Model id → where it comes from, and its limits. */
  readonly models: Readonly<Record<string, ModelOptions>>;
  /** `childReplicas(…)` or `inlineReplicas(…)` */
  readonly startReplica: StartReplica;
  readonly categories: CategoryRegistry;
  /** Told from the beginning. */
  readonly observers?: readonly InferenceObserver[] | undefined;
}

/** Runs complete requests of any category on the models that it was given. */
export type Engine = InferenceBase & Required<Pick<InferenceBase, 'observe'>>;

/**
 * Starts the replicas of all models and begins to load them.
 *
 * @throws InferenceError `invalid_request` for a limit out of range; nothing was started then
 *
 * @example
 * ```ts
 * const models = { 'tiny-chat': { category: 'chat', source: 'tiny-chat' } };
 * const engine = createEngine({ models, categories, startReplica: inlineReplicas(loadPipeline) });
 * await engine.ready();
 * for await (const event of engine.run('chat', request)) console.log(event);
 * await engine.close();
 * ```
 */
export function createEngine({
  models,
  startReplica,
  categories,
  observers: given = [],
}: EngineOptions): Engine {
  const configured = Object.entries(models).map(([id, { replicas, maxQueue, deadlineMs, ...spec }]) => ({
    spec: { ...spec, id } satisfies ModelSpec,
    limits: resolveLimits(`models.${id}`, { replicas, maxQueue, deadlineMs }),
  }));
  const observers = new Observers<InferenceObserver>();
  const queues = new Map(
    configured.map(({ spec, limits }) => [spec.id, new ModelQueue(spec, limits, startReplica, observers)]),
  );
  const all = [...queues.values()];

  let isDraining = false;
  const drained = createDeferred();

  const engine: Engine = {
    run(name, request, options = {}) {
      const category = categories.get(name);
      if (!category)
        throw new TypeError(`category: expected one of ${[...categories.keys()].join(', ')}, got ${name}`);
      const queue = queues.get(request.model);
      if (queue) return queue.submit(request, options, category);
      const { origin, responseId } = options;
      const { model } = request;
      const error = new InferenceError('model_not_found', `There is no model ${quote(model)}.`, {
        param: 'model',
      });
      const { telemetry } = category;
      const run = { category: name, telemetry, request, model, isKnownModel: false, origin, responseId };
      watchRun(observers, run, category)?.end(error);
      return failedStream(error);
    },
    models: () => all.map((queue) => queue.info),
    status: () =>
      all.map(({ status }) =>
        isDraining && status.state === 'ready' ? { ...status, state: 'draining' } : status,
      ),
    observe(observer) {
      if (observers.add(observer)) observers.tellOne(observer, 'onAttach', engine);
      return () => observers.remove(observer);
    },
    async ready() {
      await Promise.all(all.map((queue) => queue.ready()));
    },
    async close({ graceMs = defaultGraceMs, drainDelayMs = 0 } = {}) {
      assertDuration('graceMs', graceMs);
      assertDuration('drainDelayMs', drainDelayMs);
      isDraining = true;
      if (drainDelayMs > 0) {
        const timer = setTimeout(() => drained.resolve(), drainDelayMs);
        await drained.promise;
        clearTimeout(timer);
      } else drained.resolve();
      await Promise.all(all.map((queue) => queue.close(graceMs)));
    },
  };
  for (const observer of given) engine.observe(observer);
  return engine;
}
