import type { BindableSession, Binding, ResidentTensor } from '../../../contracts/graph.ts';
import { RowStorage, type StorageParts } from './row-storage.ts';

/** Parts that the states of a decoder share. */
export interface ResidentStatesParts {
  readonly session: BindableSession;
  readonly states: StorageParts;
}

/**
 * States that a graph reads from one half of the memory and writes to the other; the halves change places after a step. A
 * step that fails leaves them as they were.
 */
export class ResidentStates {
  readonly #parts: ResidentStatesParts;
  readonly #room: number;
  #now: RowStorage;
  /** Made by the first step: kept sequences need none. */
  #next: RowStorage | undefined;
  /** Tensors over both halves, for the rows that were bound last. */
  #tensors: { now: ResidentTensor[]; next: ResidentTensor[] } | undefined;

  constructor(parts: ResidentStatesParts, room: number) {
    this.#parts = parts;
    this.#room = room;
    this.#now = this.#takeHalf();
  }

  get bytes(): number {
    return this.#now.bytes + (this.#next?.bytes ?? 0);
  }

  /** Binds the states of the first rows to the next step. */
  bind(binding: Binding, rows: number): void {
    const { session, states } = this.#parts;
    const create = (half: RowStorage): ResidentTensor[] =>
      states.entries.map((_, index) => session.createTensor(half.tensor(index, rows)));
    this.#next ??= this.#takeHalf();
    this.#tensors ??= { now: create(this.#now), next: create(this.#next) };
    for (const [index, { past, present }] of states.entries.entries()) {
      binding.bindInput(past, this.#tensors.now[index]!);
      binding.bindOutput(present, this.#tensors.next[index]!);
    }
  }

  /** A step has written the next states. */
  turn(): void {
    if (!this.#next || !this.#tensors) return;
    [this.#now, this.#next] = [this.#next, this.#now];
    this.#tensors = { now: this.#tensors.next, next: this.#tensors.now };
  }

  copyRow(target: number, source: ResidentStates, row: number): void {
    this.#now.copyRow(target, source.#now, row);
  }

  /** The number of rows changes, or they get other memory. */
  unbind(): void {
    for (const tensor of [...(this.#tensors?.now ?? []), ...(this.#tensors?.next ?? [])]) tensor.release();
    this.#tensors = undefined;
  }

  release(): void {
    this.unbind();
    this.#now.release();
    this.#next?.release();
  }

  #takeHalf(): RowStorage {
    return RowStorage.take(this.#parts.states, { rows: this.#room, capacity: 1 });
  }
}
