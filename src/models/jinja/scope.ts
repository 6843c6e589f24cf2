import type { Budget } from './budget.ts';
import type { Value } from './values.ts';

/** The names that can be seen from one place of a template. */
export class Scope {
  readonly budget: Budget;
  readonly #values = new Map<string, Value>();
  readonly #parent: Scope | undefined;

  constructor(origin: Scope | Budget) {
    const isInner = origin instanceof Scope;
    this.#parent = isInner ? origin : undefined;
    this.budget = isInner ? origin.budget : origin;
  }

  get(name: string): Value {
    return this.#values.has(name) ? this.#values.get(name) : this.#parent?.get(name);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
