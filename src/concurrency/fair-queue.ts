/** Items of one owner, in the order in which they came. */
interface Flow<Item> {
  readonly items: Set<Item>;
  /** Virtual time at which its next item begins. */
  startsAt: number;
}

interface Entry<Item> {
  readonly flow: Flow<Item>;
  readonly cost: number;
}

/** Owners without items that are remembered beside those with some. */
const maxRemembered = 64;

// Source: Start-time fair queueing, https://doi.org/10.1145/248156.248171
/**
 * A queue whose owners take turns, weighted by the cost of their items; each owner's own items keep their order. An owner who
 * comes anew goes before those who have had something since, and has no credit for the time before. Takes O(log n) comparisons
 * for n owners, and moves as many places as an array does.
 */
export class FairQueue<Item> {
  readonly #entries = new Map<Item, Entry<Item>>();
  /** Also of owners whose last item has gone, who have had it all the same. */
  readonly #flows = new Map<string | undefined, Flow<Item>>();
  /** Flows with items, the next first. */
  readonly #order: Flow<Item>[] = [];
  /** Virtual time: the latest start of an item that was taken. */
  #now = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** All items in the order in which they came. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#entries.keys();
  }

  has(item: Item): boolean {
    return this.#entries.has(item);
  }

  /** Number of an owner's items. */
  countOf(owner: string | undefined): number {
    return this.#flows.get(owner)?.items.size ?? 0;
  }

  /** @param owner `undefined` is one as well */
  add(item: Item, owner?: string, cost = 1): void {
    let flow = this.#flows.get(owner);
    if (!flow) this.#flows.set(owner, (flow = { items: new Set(), startsAt: 0 }));
    this.#entries.set(item, { flow, cost });
    flow.items.add(item);
    if (flow.items.size > 1) return;
    flow.startsAt = Math.max(flow.startsAt, this.#now);
    this.#insert(flow);
  }

  /** Takes the next item out. */
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

  /** Notes that what an owner has taken cost more than its `cost`. */
  charge(owner: string | undefined, more: number): void {
    const flow = this.#flows.get(owner);
    if (!flow) return;
    flow.startsAt += more;
    if (flow.items.size === 0) return;
    this.#order.splice(this.#order.indexOf(flow), 1);
    this.#insert(flow);
  }

  /** Takes an item out that is no longer wanted; `false` where it isn't in the queue. */
  delete(item: Item): boolean {
    const entry = this.#entries.get(item);
    if (!entry) return false;
    const { flow } = entry;
    flow.items.delete(item);
    if (flow.items.size === 0) this.#order.splice(this.#order.indexOf(flow), 1);
    this.#forget(item);
    return true;
  }

  /** Forgets who has had how much: to be called when nothing waits and everything that was taken is over. */
  settle(): void {
    this.#flows.clear();
    this.#now = 0;
  }

  #insert(flow: Flow<Item>): void {
    let [least, most] = [0, this.#order.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (this.#order[middle]!.startsAt <= flow.startsAt) least = middle + 1;
      else most = middle;
    }
    this.#order.splice(least, 0, flow);
  }

  #forget(item: Item): void {
    this.#entries.delete(item);
    if (this.#flows.size <= 2 * this.#order.length + maxRemembered) return;
    for (const [owner, { items, startsAt }] of this.#flows) {
      if (items.size === 0 && startsAt <= this.#now) this.#flows.delete(owner);
    }
  }
}
