/** A model that uses memory while it is loaded. */
export interface Occupant {
  /** Memory when it was last loaded; 0 if unknown. */
  readonly memoryBytes: number;
  readonly isPinned: boolean;
  /** Cannot be evicted yet. */
  readonly isLoading: boolean;
  readonly isLeaving: boolean;
  readonly isIdle: boolean;
  /** Recent requests, weighted by age. */
  readonly recentUses: number;
  /** Called on its turn: it has its slot now. */
  start(): void;
  /** Lets its current requests end, then calls `leave`. */
  evict(): void;
}

/** A busy model takes time to evict: it is only evicted if idle models are used this many times more. */
const busyFactor = 4;

export interface RoomLimits {
  /** Maximum models at the same time. */
  readonly maxLoadedModels?: number | undefined;
  /** Maximum memory of all models, as measured when they were last loaded. */
  readonly maxLoadedBytes?: number | undefined;
}

/**
 * Slots for loaded models. If all are taken, models wait in FIFO order, and the least recently used model is evicted. A
 * busy model, which leaves only after its requests, counts as used more.
 */
export class Room {
  readonly #maxModels: number;
  readonly #maxBytes: number;
  readonly #inside = new Set<Occupant>();
  readonly #waiting = new Set<Occupant>();

  constructor({ maxLoadedModels = Infinity, maxLoadedBytes = Infinity }: RoomLimits = {}) {
    this.#maxModels = maxLoadedModels;
    this.#maxBytes = maxLoadedBytes;
  }

  /** @returns whether it has a slot now; otherwise it waits, and `start` is called on its turn */
  enter(occupant: Occupant): boolean {
    if (this.#inside.has(occupant)) return true;
    this.#waiting.add(occupant);
    const [first] = this.#waiting;
    if (first === occupant && this.#fits(occupant, this.#inside)) {
      this.#waiting.delete(occupant);
      this.#inside.add(occupant);
      return true;
    }
    this.update();
    return false;
  }

  /** Call when it has left, or no longer wants a slot. */
  leave(occupant: Occupant): void {
    this.#inside.delete(occupant);
    this.#waiting.delete(occupant);
    for (const first of this.#waiting) {
      if (!this.#fits(first, this.#inside)) break;
      this.#waiting.delete(first);
      this.#inside.add(first);
      first.start();
    }
    this.update();
  }

  /** Evicts as many models as the first waiting one needs; call whenever a model may have become evictable. */
  update(): void {
    const staying = new Set([...this.#inside].filter(({ isLeaving }) => !isLeaving));
    const [first] = this.#waiting;
    while (first ? !this.#fits(first, staying) : this.#isOverfull(staying)) {
      const victim = pickVictim(staying);
      // A different, more used victim would be reloaded immediately.
      if (!victim || victim.isLoading) return;
      staying.delete(victim);
      victim.evict();
    }
  }

  #fits({ memoryBytes }: Occupant, inside: ReadonlySet<Occupant>): boolean {
    if (inside.size === 0) return true;
    return inside.size < this.#maxModels && bytesOf(inside) + memoryBytes <= this.#maxBytes;
  }

  /** A model larger than the whole memory may be loaded alone. */
  #isOverfull(inside: ReadonlySet<Occupant>): boolean {
    return inside.size > 1 && bytesOf(inside) > this.#maxBytes;
  }
}

function bytesOf(inside: ReadonlySet<Occupant>): number {
  return [...inside].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}

function pickVictim(inside: ReadonlySet<Occupant>): Occupant | undefined {
  const [victim] = [...inside].filter(({ isPinned }) => !isPinned).sort((a, b) => worthOf(a) - worthOf(b));
  return victim;
}

function worthOf({ recentUses, isIdle }: Occupant): number {
  return isIdle ? recentUses : busyFactor * recentUses;
}
