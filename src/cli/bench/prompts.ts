import type { Inference, RerankResult } from '../../index.ts';
import type { Measurement } from './statistics.ts';

/** Plain words: most vocabularies have a token for each. */
const words =
  'a red circle is above the blue square and two green stars are below it with one yellow cross to the left of three small black triangles in a large white picture on the right side'.split(
    ' ',
  );

/** Writes a text that no other index has, from its very first words on, so that nothing of an earlier request helps. */
export function writeWords(index: number, count: number): string {
  // A multiplicative congruential generator is random enough for word order. (Park and Miller 1988)
  let state = ((index + 5) * 7919) % 2_147_483_647;
  const next = (): string => {
    state = (state * 48_271) % 2_147_483_647;
    return words[state % words.length]!;
  };
  return Array.from({ length: count }, next).join(' ');
}

const fewWords = 8;
const manyWords = 72;

/** Finds out how many words make a prompt of about so many tokens. */
export async function findWordCount(
  tokens: number,
  countTokens: (text: string) => Promise<number>,
): Promise<number> {
  const few = await countTokens(writeWords(-1, fewWords));
  const many = await countTokens(writeWords(-2, manyWords));
  const perWord = Math.max(0.1, (many - few) / (manyWords - fewWords));
  const improve = (wordCount: number, counted: number): number =>
    Math.max(1, Math.round(wordCount + (tokens - counted) / perWord));
  const guess = improve(manyWords, many);
  return improve(guess, await countTokens(writeWords(-3, guess)));
}

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
