import { InferenceError } from '../errors.ts';
import type { ModelInfo, ModelSpec, ModelStatus } from '../contracts/model.ts';
import type { ObservedModel } from '../contracts/observer.ts';
import type { LoadableModel } from './loadable-model.ts';

export const unknownCategory = 'unknown';

/** Some categories have a context. */
export type QueuedSpec = ModelSpec<{ readonly contextLength?: number | undefined }>;

/** The public view of a model, for callers and observers. */
export class ModelView {
  readonly #spec: QueuedSpec;
  readonly #model: LoadableModel;

  constructor(spec: QueuedSpec, model: LoadableModel) {
    this.#spec = spec;
    this.#model = model;
  }

  /** Facts about the model; before it is loaded, from its settings. */
  get info(): ModelInfo {
    const { id, name = id, category = unknownCategory, contextLength, defaults } = this.#spec;
    const info = this.#model.info ?? { id, name, category, contextLength, created: 0, ownedBy: 'unknown' };
    return defaults === undefined ? info : { ...info, defaults: { ...info.defaults, ...defaults } };
  }

  get observed(): ObservedModel {
    const { id, category } = this.info;
    return { id, category };
  }

  status({ waiting, isClosed }: { readonly waiting: number; readonly isClosed: boolean }): ModelStatus {
    const state = isClosed ? 'closed' : this.#state;
    const { loadProgress, upstreams, running = 0 } = this.#model.replicas ?? {};
    return {
      id: this.#spec.id,
      state,
      ...(state === 'loading' && loadProgress && { progress: loadProgress }),
      running,
      waiting,
      ...(upstreams && { upstreams }),
    };
  }

  get #state(): ModelStatus['state'] {
    const { state, replicas } = this.#model;
    if (state === 'restarting') return 'loading';
    const upstreams = replicas?.upstreams;
    const isAlone = state === 'ready' && upstreams?.every(({ isHealthy }) => !isHealthy) === true;
    return isAlone ? 'unreachable' : state;
  }

  /** Whether workers were lost so often in a row that requests shouldn't wait for the next one. */
  get isLooping(): boolean {
    const { state, replicas } = this.#model;
    return state === 'restarting' && replicas!.isLooping;
  }

  restartError(): InferenceError {
    return new InferenceError('overloaded', `The worker of model "${this.#spec.id}" is being restarted.`, {
      retryAfterSeconds: toRetryAfterSeconds(this.#model.replicas!.restartsInMs),
    });
  }

  /** The caller may be anyone, so only the cause contains the reason. */
  loadError(): InferenceError {
    const cause = this.#model.replicas?.error;
    if (cause?.code !== 'overloaded')
      return new InferenceError('worker_failed', `Model "${this.#spec.id}" could not be loaded.`, { cause });
    const { retryAfterSeconds } = cause;
    const message = `Model "${this.#spec.id}" could not be loaded for now.`;
    return new InferenceError('overloaded', message, { cause, retryAfterSeconds });
  }
}

/** Whole seconds, 1 to 60: clients ignore longer delays. */
export function toRetryAfterSeconds(milliseconds: number): number {
  return Math.min(60, Math.max(1, Math.ceil(milliseconds / 1000)));
}
