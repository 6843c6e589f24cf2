type Owner = string | undefined;

/** How much each owner has had, so that the one who has had least comes next. */
export class Shares {
  readonly #had = new Map<Owner, number>();

  of(owner: Owner): number {
    return this.#had.get(owner) ?? 0;
  }

  add(owner: Owner, amount: number): void {
    this.#had.set(owner, this.of(owner) + amount);
  }

  /** An owner who comes anew has no credit for the time before. @param present those who are there */
  enter(owner: Owner, present: Iterable<Owner>): void {
    const least = this.#leastOf(present);
    if (this.of(owner) < least && least < Infinity) this.#had.set(owner, least);
  }

  /** Forgets owners who have left, unless they have had more than those who are there. */
  settle(present: ReadonlySet<Owner>): void {
    const least = this.#leastOf(present);
    for (const [owner, had] of this.#had) if (had <= least && !present.has(owner)) this.#had.delete(owner);
  }

  #leastOf(owners: Iterable<Owner>): number {
    let least = Infinity;
    for (const owner of owners) least = Math.min(least, this.of(owner));
    return least;
  }
}
