/** Items of one owner, in order of arrival. */
interface Flow<Item> {
  readonly items: Set<Item>;
  /** Virtual start time of its next item. */
  startsAt: number;
}

interface Entry<Item> {
  readonly flow: Flow<Item>;
  readonly cost: number;
}

/** Max remembered owners without items, in excess of owners with items. */
const maxRemembered = 64;

// Source: Start-time fair queueing, https://doi.org/10.1145/248156.248171
/**
 * A queue with turns between owners, weighted by cost; each owner's items keep their order. A new owner precedes owners that were
 * served since, but gets no credit for the past. Takes O(log n) comparisons for n owners, plus array moves.
 */
export class FairQueue<Item> {
  readonly #entries = new Map<Item, Entry<Item>>();
  /** Includes recently served owners without items. */
  readonly #flows = new Map<string | undefined, Flow<Item>>();
  /** Flows with items, next first. */
  readonly #order: Flow<Item>[] = [];
  /** Virtual time: the latest start of a taken item. */
  #now = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** All items in order of arrival. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#entries.keys();
  }

  has(item: Item): boolean {
    return this.#entries.has(item);
  }

  countOf(owner: string | undefined): number {
    return this.#flows.get(owner)?.items.size ?? 0;
  }

  /** @param owner `undefined` is an owner too */
  add(item: Item, owner?: string, cost = 1): void {
    let flow = this.#flows.get(owner);
    if (!flow) this.#flows.set(owner, (flow = { items: new Set(), startsAt: 0 }));
    this.#entries.set(item, { flow, cost });
    flow.items.add(item);
    if (flow.items.size > 1) return;
    flow.startsAt = Math.max(flow.startsAt, this.#now);
    this.#insert(flow);
  }

  take(fits?: (item: Item) => boolean): Item | undefined {
    for (const flow of this.#order) {
      const [item] = flow.items;
      if (fits && !fits(item!)) continue;
      const { cost } = this.#entries.get(item!)!;
      this.#now = Math.max(this.#now, flow.startsAt);
      this.#order.splice(this.#order.indexOf(flow), 1);
      flow.startsAt += cost;
      flow.items.delete(item!);
      if (flow.items.size > 0) this.#insert(flow);
      this.#forget(item!);
      return item;
    }
    return undefined;
  }

  /** Charges an owner for extra cost of taken items. */
  charge(owner: string | undefined, more: number): void {
    const flow = this.#flows.get(owner);
    if (!flow) return;
    flow.startsAt += more;
    if (flow.items.size === 0) return;
    this.#order.splice(this.#order.indexOf(flow), 1);
    this.#insert(flow);
  }

  /** Removes an item; `false` if it isn't in the queue. */
  delete(item: Item): boolean {
    const entry = this.#entries.get(item);
    if (!entry) return false;
    const { flow } = entry;
    flow.items.delete(item);
    if (flow.items.size === 0) this.#order.splice(this.#order.indexOf(flow), 1);
    this.#forget(item);
    return true;
  }

  /** Resets all accounts: call it once nothing waits and all taken work is done. */
  settle(): void {
    this.#flows.clear();
    this.#now = 0;
  }

  #insert(flow: Flow<Item>): void {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order[middle]!.startsAt <= flow.startsAt) low = middle + 1;
      else high = middle;
    }
    this.#order.splice(low, 0, flow);
  }

  #forget(item: Item): void {
    this.#entries.delete(item);
    if (this.#flows.size <= 2 * this.#order.length + maxRemembered) return;
    for (const [owner, { items, startsAt }] of this.#flows) {
      if (items.size === 0 && startsAt <= this.#now) this.#flows.delete(owner);
    }
  }
}
