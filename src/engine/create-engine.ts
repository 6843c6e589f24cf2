import { InferenceError } from '../errors.ts';
import { Observers } from '../observers.ts';
import type { Categories, Category, ModelInfo, ModelSpec } from '../categories/contract.ts';
import type { CallOptions, ModelOptions, ModelStatus } from './contract.ts';
import { failedStream } from '../concurrency/event-stream.ts';
import { assertDuration, resolveLimits } from './limits.ts';
import { ModelQueue } from './model-queue.ts';
import type { InferenceObserver, ObservedRun } from './observer.ts';
import type { StartReplica } from './replica.ts';
import { watchRun } from './run-watch.ts';

const defaultGraceMs = 10_000;

/** Runs requests of any category on the models that it was given. */
export interface Engine {
  /**
   * One request as a stream of events. It is admitted when the first event is asked for, so that an iterable that
   * nobody reads costs nothing; all errors come from the iterator. Leaving it early cancels the request.
   *
   * @throws InferenceError `model_not_found`, `invalid_request`, `overloaded` or `worker_failed` before the first
   * event; `cancelled`, `deadline_exceeded`, `worker_failed`, `overloaded` or the pipeline's own error later
   */
  run<C extends Category>(
    category: C,
    modelId: string,
    request: Categories[C]['request'],
    options?: CallOptions,
  ): AsyncIterable<Categories[C]['event']>;
  models(): readonly ModelInfo[];
  status(): readonly ModelStatus[];
  /** See `Inference.observe`. */
  observe(observer: InferenceObserver): () => void;
  ready(): Promise<void>;
  /** @param options.graceMs time for running requests to end by themselves; default 10 s */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Starts the replicas of all models and begins to load them.
 *
 * @param models model id → where it comes from, and its limits
 * @param startReplica `childReplicas(…)` or `inlineReplicas(…)`
 * @param given told from the beginning
 * @throws InferenceError `invalid_request` for a limit out of range; nothing was started then
 *
 * @example
 * ```ts
 * const engine = createEngine({ 'tiny-chat': { category: 'chat', source: 'tiny-chat' } }, inlineReplicas(loadPipeline));
 * await engine.ready();
 * for await (const event of engine.run('chat', 'tiny-chat', request)) console.log(event);
 * await engine.close();
 * ```
 */
export function createEngine(
  models: Readonly<Record<string, ModelOptions>>,
  startReplica: StartReplica,
  given: readonly InferenceObserver[] = [],
): Engine {
  const configured = Object.entries(models).map(([id, { replicas, maxQueue, deadlineMs, ...spec }]) => ({
    spec: { ...spec, id } satisfies ModelSpec,
    limits: resolveLimits(`models.${id}`, { replicas, maxQueue, deadlineMs }),
  }));
  const observers = new Observers<InferenceObserver>();
  const queues = new Map(
    configured.map(({ spec, limits }) => [spec.id, new ModelQueue(spec, limits, startReplica, observers)]),
  );
  const all = [...queues.values()];

  const queueOf = (category: Category, modelId: string): ModelQueue => {
    const queue = queues.get(modelId);
    if (!queue)
      throw new InferenceError('model_not_found', `There is no model "${modelId}".`, { param: 'model' });
    const { info } = queue;
    if (info.category === category) return queue;
    throw new InferenceError(
      'invalid_request',
      `"${modelId}" is a model for ${info.category}, not for ${category}.`,
      {
        param: 'model',
      },
    );
  };

  const engine: Engine = {
    run(category, modelId, request, options = {}) {
      try {
        return queueOf(category, modelId).submit(request, options);
      } catch (error) {
        const { origin, responseId } = options;
        const run = { category, request, model: modelId, isKnownModel: false, origin, responseId };
        watchRun(observers, run as ObservedRun)?.end(error as InferenceError);
        return failedStream(error as InferenceError);
      }
    },
    models: () => all.map((queue) => queue.info),
    status: () => all.map((queue) => queue.status),
    observe(observer) {
      if (observers.add(observer)) observers.tellOne(observer, 'onAttach', engine);
      return () => observers.remove(observer);
    },
    async ready() {
      await Promise.all(all.map((queue) => queue.ready()));
    },
    async close({ graceMs = defaultGraceMs } = {}) {
      assertDuration('graceMs', graceMs);
      await Promise.all(all.map((queue) => queue.close(graceMs)));
    },
  };
  for (const observer of given) engine.observe(observer);
  return engine;
}
