import type { Inference, RerankResult } from '../../index.ts';
import type { Measurement } from './statistics.ts';

/** As much of an inference as is measured: nobody looks at what was found in a picture, or at an order. */
export type MeasuredInference = Pick<Inference, 'chat' | 'embed' | 'image' | 'speak' | 'transcribe'> & {
  detect(...call: Parameters<Inference['detect']>): Promise<unknown>;
  rerank(...call: Parameters<Inference['rerank']>): Promise<Pick<RerankResult, 'promptTokens'>>;
};

/** What is measured: a model of this machine, or one behind an address. */
export interface Subject {
  readonly inference: MeasuredInference;
  /** Its id there. */
  readonly model: string;
  readonly category: string;
  /** Tokens; 0 where nobody tells. */
  readonly contextLength: number;
  close(): Promise<void>;
}

/** What one request brought. */
export interface Sample {
  readonly totalMs: number;
}

/** What is asked of a category of models, and what is read off it. */
export interface Workload<S extends Sample = Sample> {
  /** In words, as far as it is known before: `answers of at most 128 tokens`. */
  readonly description: string;
  /** Finds out what it has to, and runs the model once: the first run is slower than all others. */
  prepare(signal: AbortSignal): Promise<void>;
  send(index: number, signal: AbortSignal): Promise<S>;
  measure(samples: readonly S[], elapsedMs: number): readonly Measurement[];
}
