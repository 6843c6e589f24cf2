import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NoiseSource } from '../../../../core/diffusion/schedulers/scheduler.ts';

/** Draws the noise of a step while its graph runs, in another thread, so that the step doesn't wait for it. */
export class NoiseAhead {
  readonly #source: NoiseSource;
  readonly #drawn: Float32Array;
  #isDrawn = false;
  /** The first fills the latents; schedulers that add noise ask again. */
  #draws = 0;

  constructor(source: NoiseSource, length: number) {
    this.#source = source;
    this.#drawn = new Float32Array(length);
  }

  readonly draw: NoiseSource = (out) => {
    this.#draws++;
    if (this.#isDrawn) out.set(this.#drawn);
    else this.#source(out);
    this.#isDrawn = false;
  };

  /** Call it when the graph has been started. */
  async drawAhead(): Promise<void> {
    if (this.#draws < 2 || this.#isDrawn) return;
    await nextTurn();
    this.#source(this.#drawn);
    this.#isDrawn = true;
  }
}
