/** A model that takes memory while it is loaded. */
export interface Occupant {
  /** Memory that it took when it was loaded last; 0 where that is not known. */
  readonly memoryBytes: number;
  readonly isPinned: boolean;
  /** Whether it can't be asked to leave yet. */
  readonly isLoading: boolean;
  readonly isLeaving: boolean;
  readonly isIdle: boolean;
  /** Requests that used it of late; each counts the less, the longer ago it was. */
  readonly recentUses: number;
  /** Its turn has come: it has its place now. */
  start(): void;
  /** Lets the requests that it has end, then calls `leave`. */
  evict(): void;
}

/** Waiting for the end of requests takes time: it is worth it where an idle model is used so much more. */
const busyFactor = 4;

export interface RoomLimits {
  /** Models at once. */
  readonly maxLoadedModels?: number | undefined;
  /** Memory of all models, by what they took when they were loaded. */
  readonly maxLoadedBytes?: number | undefined;
}

/**
 * Places for loaded models. Where there is none, those who want one wait in the order of their coming, and the model
 * that was used least of late has to leave. A busy one, which leaves once its requests have ended, counts as one that was used more.
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

  /** @returns whether it has a place now; else it waits, and `start` is called when it has */
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

  /** It has left, or no longer wants a place. */
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

  /** Asks as many to leave as the first who waits needs, as far as they can; to be called when one may have become able to. */
  update(): void {
    const staying = new Set([...this.#inside].filter(({ isLeaving }) => !isLeaving));
    const [first] = this.#waiting;
    while (first ? !this.#fits(first, staying) : this.#isOverfull(staying)) {
      const victim = leastUsed(staying);
      // Another one, used more, would be loaded again at once.
      if (!victim || victim.isLoading) return;
      staying.delete(victim);
      victim.evict();
    }
  }

  #fits({ memoryBytes }: Occupant, inside: ReadonlySet<Occupant>): boolean {
    if (inside.size === 0) return true;
    return inside.size < this.#maxModels && bytesOf(inside) + memoryBytes <= this.#maxBytes;
  }

  /** A model that is larger than all the memory has it for itself. */
  #isOverfull(inside: ReadonlySet<Occupant>): boolean {
    return inside.size > 1 && bytesOf(inside) > this.#maxBytes;
  }
}

function bytesOf(inside: ReadonlySet<Occupant>): number {
  return [...inside].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}

function leastUsed(inside: ReadonlySet<Occupant>): Occupant | undefined {
  const [victim] = [...inside].filter(({ isPinned }) => !isPinned).sort((a, b) => worthOf(a) - worthOf(b));
  return victim;
}

function worthOf({ recentUses, isIdle }: Occupant): number {
  return isIdle ? recentUses : busyFactor * recentUses;
}
