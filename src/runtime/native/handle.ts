import type { ApiFunctionName } from './api-functions.ts';
import type { Api } from './load-api.ts';

/**
 * An object of the runtime that is released once. The runtime doesn't check addresses; null, a second release, or a use
 * after it would crash the process.
 */
export class Handle {
  #address: bigint;
  readonly #label: string;
  readonly #free: () => void;

  /** @param label its name in messages */
  constructor(api: Api, label: string, address: bigint, release: ApiFunctionName) {
    if (address === 0n) throw new Error(`${label}: expected a handle, got null`);
    this.#address = address;
    this.#label = label;
    this.#free = () => api.call(release, address);
  }

  /** @throws Error after the release */
  get address(): bigint {
    if (this.#address === 0n) throw new Error(`${this.#label}: already released`);
    return this.#address;
  }

  /** @throws Error after the release */
  assertAlive(): void {
    void this.address;
  }

  /** @param when calls its argument as soon as the object may be freed; default: immediately */
  release(when: (free: () => void) => void = (free) => free()): void {
    this.assertAlive();
    this.#address = 0n;
    when(this.#free);
  }
}
