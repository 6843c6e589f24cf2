import type { Value } from './values.ts';

/** The names that can be seen from one place of a template. */
export class Scope {
  readonly #values = new Map<string, Value>();
  readonly #parent: Scope | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  get(name: string): Value {
    return this.#values.has(name) ? this.#values.get(name) : this.#parent?.get(name);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
