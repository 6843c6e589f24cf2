import type { ModelOptions, ModelSpec } from '../contracts/model.ts';
import type { InferenceObserver } from '../contracts/observer.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError, InferenceError } from '../errors.ts';
import type { Observers } from '../observers.ts';
import { resolveLimits } from './limits.ts';
import { ModelQueue } from './model-queue.ts';
import type { StartReplica } from './replica.ts';
import { Room, type RoomLimits } from './room.ts';

export interface TableOptions extends RoomLimits {
  /** `childReplicas(…)` or `inlineReplicas(…)` */
  readonly startReplica: StartReplica;
  /** Whether a model uses memory of this machine; default: every model does. */
  readonly takesRoom?: ((options: ModelOptions) => boolean) | undefined;
}

type Configured = ConstructorParameters<typeof ModelQueue>;

/** The queues of all models by id, and their shared memory limits. */
export class ModelTable {
  readonly #options: TableOptions;
  readonly #observers: Observers<InferenceObserver>;
  readonly #room: Room;
  readonly #queues = new Map<string, ModelQueue>();
  /** Models that don't load on demand. */
  readonly #residents = new Set<string>();
  /** Removed models that are still closing. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: TableOptions, observers: Observers<InferenceObserver>) {
    this.#options = options;
    this.#observers = observers;
    this.#room = new Room(options);
  }

  get queues(): readonly ModelQueue[] {
    return [...this.#queues.values()];
  }

  get(id: string): ModelQueue | undefined {
    return this.#queues.get(id);
  }

  find(id: string): ModelQueue {
    const queue = this.#queues.get(id);
    if (!queue) throw modelNotFound(id);
    return queue;
  }

  /** Starts loading models except those that load on demand. @throws InferenceError if they don't all fit */
  add(models: Readonly<Record<string, ModelOptions>>): void {
    const added = Object.entries(models).map(([id, options]) => this.#configure(id, options));
    this.#assertRoom(added.filter(([, , { room }]) => room));
    for (const configured of added) {
      const [{ id }, { loadOnDemand }, { room }] = configured;
      if (room && !loadOnDemand) this.#residents.add(id);
      this.#queues.set(id, new ModelQueue(...configured));
    }
  }

  async remove(id: string, graceMs: number): Promise<void> {
    const queue = this.find(id);
    this.#queues.delete(id);
    this.#residents.delete(id);
    const closed = queue.remove(graceMs, modelNotFound(id));
    this.#leaving.add(closed);
    await closed.finally(() => this.#leaving.delete(closed));
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.queues.map((queue) => queue.close(graceMs)), ...this.#leaving]);
  }

  #configure(id: string, options: ModelOptions): Configured {
    const { replicas, maxQueue, deadlineMs, loadOnDemand, idleUnloadMs, ...settings } = options;
    const { startReplica, takesRoom = () => true, maxLoadedModels, maxLoadedBytes } = this.#options;
    const isInRoom = takesRoom(options);
    const isLimited = isInRoom && (maxLoadedModels ?? maxLoadedBytes) !== undefined;
    const wanted = { replicas, maxQueue, deadlineMs, loadOnDemand, idleUnloadMs };
    const spec = { ...settings, id } as ModelSpec;
    const room = isInRoom ? this.#room : undefined;
    return [spec, resolveLimits(wanted, isLimited), { startReplica, observers: this.#observers, room }];
  }

  #assertRoom(added: readonly Configured[]): void {
    const onDemand = added.filter(([, { loadOnDemand }]) => loadOnDemand).length;
    const always = added.length - onDemand + this.#residents.size;
    const { maxLoadedModels: most = Infinity } = this.#options;
    if (always < most || (always === most && onDemand === 0)) return;
    throw fieldError(
      'maxLoadedModels',
      `expected room beside the ${always} models that don't load on demand, got ${most}`,
    );
  }
}

export function modelNotFound(id: string): InferenceError {
  return new InferenceError('model_not_found', `There is no model ${quote(id)}.`, { param: 'model' });
}
