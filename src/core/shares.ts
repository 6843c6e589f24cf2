type Owner = string | undefined;

/** How much each owner has used, so that the owner who has used least is next. */
export class Shares {
  readonly #had = new Map<Owner, number>();

  of(owner: Owner): number {
    return this.#had.get(owner) ?? 0;
  }

  add(owner: Owner, amount: number): void {
    this.#had.set(owner, this.of(owner) + amount);
  }

  /** A new owner gets no credit for the time before. @param present the current owners */
  enter(owner: Owner, present: Iterable<Owner>): void {
    const least = this.#minOf(present);
    if (this.of(owner) < least && least < Infinity) this.#had.set(owner, least);
  }

  /** Forgets owners who have left, unless they have used more than the current owners. */
  settle(present: ReadonlySet<Owner>): void {
    const least = this.#minOf(present);
    for (const [owner, had] of this.#had) if (had <= least && !present.has(owner)) this.#had.delete(owner);
  }

  #minOf(owners: Iterable<Owner>): number {
    let least = Infinity;
    for (const owner of owners) least = Math.min(least, this.of(owner));
    return least;
  }
}
