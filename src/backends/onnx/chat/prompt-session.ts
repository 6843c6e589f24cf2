import type { GraphRunOptions, Session } from '../../../contracts/graph.ts';
import { readDecoderLayout, type GraphSides } from './decoder-layout.ts';
import { RowStorage, type Place } from './row-storage.ts';
import { StepTensors } from './step-tensors.ts';
import { StoragePool } from './storage-pool.ts';

/** Shorter prompts cost more to copy than they gain. */
export const minPromptTokens = 32;
/**
 * Prompts are padded to a multiple of this, since providers compile and keep a kernel per shape. It divides the
 * position counts of models.
 */
const paddingStep = 32;

/** A second session of a decoder's graph, for the prompts of the first one. */
export interface PromptSession {
  /** Computes keys and values of tokens that follow a row's existing ones. */
  read(tokens: Int32Array, storage: RowStorage, place: Place, options?: GraphRunOptions): Promise<void>;
  release(): Promise<void>;
}

/** Reads prompts with a session whose past and present are separate tensors, so that any provider can run it. */
export function createPromptSession(session: Session, sides: GraphSides): PromptSession {
  const layout = readDecoderLayout(sides);
  const { entries } = layout;
  const parts = { entries, pool: new StoragePool() };
  const fetches = entries.map(({ present }) => present);
  return {
    async read(tokens, storage, { row, slot }, options = {}) {
      const count = Math.ceil((slot + tokens.length) / paddingStep) * paddingStep - slot;
      const lengths = Int32Array.of(slot);
      const cache = { rows: 1, lengths, capacity: slot };
      // Padding after the tokens doesn't affect them.
      const step = new StepTensors(layout, cache, { count, wanted: 1, atEnd: true });
      const padded = new Int32Array(count);
      padded.set(tokens);
      step.fill(lengths, padded);
      const past = RowStorage.take(parts, { rows: 1, capacity: slot, zeroed: false });
      past.copySlots({ row: 0, slot: 0 }, storage, { row, slot: 0 }, slot);
      const present = await session.run({ ...step.feeds, ...past.feeds(1) }, fetches, options);
      past.release();
      // Some providers can't be interrupted.
      options.signal?.throwIfAborted();
      const read = RowStorage.of(parts, slot + count, present);
      storage.copySlots({ row, slot }, read, { row: 0, slot }, tokens.length);
    },
    release: () => session.release(),
  };
}
