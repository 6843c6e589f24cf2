import type { Inference, RerankResult } from '../../index.ts';
import type { Measurement } from './statistics.ts';

/** As much of an inference as is measured: nobody looks at what was found in a picture, or at an order. */
export type MeasuredInference = Pick<Inference, 'chat' | 'embed' | 'image' | 'speak' | 'transcribe'> & {
  detect(...call: Parameters<Inference['detect']>): Promise<unknown>;
  rerank(...call: Parameters<Inference['rerank']>): Promise<Pick<RerankResult, 'promptTokens'>>;
};

/** The subject of a measurement: a model of this machine, or one at an address. */
export interface Subject {
  readonly inference: MeasuredInference;
  /** Its id there. */
  readonly model: string;
  readonly category: string;
  /** Tokens; 0 if unknown. */
  readonly contextLength: number;
  close(): Promise<void>;
}

/** The measurement of one request. */
export interface Sample {
  readonly totalMs: number;
}

/** The requests for a category of models, and their measurement. */
export interface Workload<S extends Sample = Sample> {
  /** In words, as far as it is known before: `answers of at most 128 tokens`. */
  readonly description: string;
  /** Finds out what it has to, and runs the model once: the first run is slower than all others. */
  prepare(signal: AbortSignal): Promise<void>;
  send(index: number, signal: AbortSignal): Promise<S>;
  measure(samples: readonly S[], elapsedMs: number): readonly Measurement[];
}

/** A run, and when the pieces of its answer came. */
export interface RunTimes extends Sample {
  /** Until each piece. */
  readonly piecesMs: readonly number[];
}

/** Times a run by its events, of which some are pieces of the answer. */
export async function timeRun<Event>(
  run: () => AsyncIterable<Event>,
  isPiece: (event: Event) => boolean,
): Promise<RunTimes> {
  const startedAt = performance.now();
  const piecesMs: number[] = [];
  for await (const event of run()) if (isPiece(event)) piecesMs.push(performance.now() - startedAt);
  return { totalMs: performance.now() - startedAt, piecesMs };
}
