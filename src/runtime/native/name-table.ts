import type { TensorSignature } from '../contract.ts';
import type { Api } from './load-api.ts';

/** Names of inputs or outputs as the runtime reads them: UTF-8 that ends with a 0, at addresses that stay. */
export class NameTable {
  readonly #bytes = new Map<string, Uint8Array>();
  readonly #addresses = new Map<string, bigint>();
  readonly #side: string;

  /** @param side `input` or `output`, for messages */
  constructor(api: Api, signatures: readonly TensorSignature[], side: 'input' | 'output') {
    this.#side = side;
    for (const { name } of signatures) {
      const bytes = new TextEncoder().encode(`${name}\0`);
      this.#bytes.set(name, bytes);
      this.#addresses.set(name, api.addressOf(bytes));
    }
  }

  /** @throws TypeError when there is no such name */
  select(names: readonly string[]): BigUint64Array {
    return BigUint64Array.from(names, (name) => {
      const address = this.#addresses.get(name);
      if (address === undefined) throw new TypeError(`${name}: the graph has no such ${this.#side}`);
      return address;
    });
  }
}
