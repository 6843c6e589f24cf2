/** Numbers triples of whole numbers from 1 on, equal ones alike, and keeps a value for each. */
export class Triples<Value> {
  #slots = new Int32Array(256);
  #parts = new Float64Array(3 * 128);
  readonly #values: (Value | undefined)[] = [];
  size = 0;

  idOf(a: number, b: number, c: number): number {
    const slots = this.#slots;
    const parts = this.#parts;
    let slot = hash(a, b, c) & (slots.length - 1);
    for (let id = slots[slot]!; id > 0; id = slots[slot]!) {
      const at = 3 * id - 3;
      if (parts[at] === a && parts[at + 1] === b && parts[at + 2] === c) return id;
      slot = (slot + 1) & (slots.length - 1);
    }
    if (2 * this.size >= slots.length) {
      this.#grow();
      return this.idOf(a, b, c);
    }
    const at = 3 * this.size;
    parts[at] = a;
    parts[at + 1] = b;
    parts[at + 2] = c;
    this.#values.push(undefined);
    slots[slot] = ++this.size;
    return this.size;
  }

  get(id: number): Value | undefined {
    return this.#values[id - 1];
  }

  set(id: number, value: Value): void {
    this.#values[id - 1] = value;
  }

  #grow(): void {
    const before = this.#parts;
    const slots = new Int32Array(2 * this.#slots.length);
    for (let id = 1; id <= this.size; id++) {
      const at = 3 * id - 3;
      let slot = hash(before[at]!, before[at + 1]!, before[at + 2]!) & (slots.length - 1);
      while (slots[slot]! > 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = id;
    }
    this.#slots = slots;
    this.#parts = new Float64Array(2 * before.length);
    this.#parts.set(before);
  }
}

function hash(a: number, b: number, c: number): number {
  const mixed = Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ c;
  const spread = Math.imul(mixed, 0xc2b2ae35);
  return spread ^ (spread >>> 15);
}
