/** Numbers triples of whole numbers from 1 on, equal ones alike; each may have a value. */
export class Triples<Value> {
  #slots = new Int32Array(256);
  readonly #parts: number[] = [];
  readonly values: (Value | undefined)[] = [undefined];

  get size(): number {
    return this.values.length - 1;
  }

  idOf(a: number, b: number, c: number): number {
    const slot = this.#slotOf(a, b, c);
    const known = this.#slots[slot]!;
    if (known > 0) return known;
    this.#parts.push(a, b, c);
    const id = this.values.push(undefined) - 1;
    this.#slots[slot] = id;
    if (2 * id > this.#slots.length) this.#grow();
    return id;
  }

  #slotOf(a: number, b: number, c: number): number {
    const parts = this.#parts;
    const mixed = Math.imul(Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ c, 0xc2b2ae35);
    for (let slot = mixed ^ (mixed >>> 15); ; slot++) {
      slot &= this.#slots.length - 1;
      const at = 3 * this.#slots[slot]! - 3;
      if (at < 0 || (parts[at] === a && parts[at + 1] === b && parts[at + 2] === c)) return slot;
    }
  }

  #grow(): void {
    const parts = this.#parts;
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let id = 1; id <= this.size; id++)
      this.#slots[this.#slotOf(parts[3 * id - 3]!, parts[3 * id - 2]!, parts[3 * id - 1]!)] = id;
  }
}
