import type { Encoder, TokenSequence } from '../../../../src/categories/embedding/encoder.ts';

/** An encoder whose vectors are `[first id, tokens]`, and that remembers the ids of every run. */
export class FakeEncoder implements Pick<Encoder, 'dimensions' | 'encode' | 'release'> {
  readonly dimensions = 2;
  /** The lengths of each run's texts. */
  readonly batches: number[][] = [];
  /** The first ids of each run's texts. */
  readonly firstIds: number[][] = [];
  /** Called at the start of a run. */
  onRun: (run: number) => void = () => undefined;

  async encode(sequences: readonly TokenSequence[]): Promise<Float32Array[]> {
    this.batches.push(sequences.map(({ ids }) => ids.length));
    this.firstIds.push(sequences.map(({ ids }) => ids[0]!));
    this.onRun(this.batches.length);
    return sequences.map(({ ids }) => Float32Array.of(ids[0]!, ids.length));
  }

  async release(): Promise<void> {}
}

/** A text of so many tokens that begins with a certain one. */
export function sequenceOf(first: number, length: number): TokenSequence {
  return { ids: [first, ...Array.from({ length: length - 1 }, () => 0)], promptTokens: 0 };
}
