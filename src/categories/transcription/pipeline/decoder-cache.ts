import { fieldError, type InferenceError } from '../../../errors.ts';
import type { ElementType, Session, Tensor, TensorMap } from '../../../contracts/graph.ts';

/** The state of a decoder after the tokens that it has read. It is immutable: each step makes another one. */
export interface DecoderCache {
  /** Tokens that were read. */
  readonly length: number;
  /** Output of the encoder for the window. */
  readonly window: Tensor;
  /** The `past_key_values.*` feeds; those of the audio are computed once and handed on. */
  readonly past: TensorMap;
}

/** Sizes of a decoder's keys and values. */
export interface DecoderHeads {
  /** Heads of one layer that have keys and values. */
  readonly decoderHeads: number;
  readonly headSize: number;
}

/** Knows which tensors the graphs of a decoder hand from one step to the next. */
export interface CacheLayout {
  /** Outputs to fetch of the run that reads a prefix. */
  readonly firstOutputs: readonly string[];
  /** Outputs to fetch of the runs that read one more token. */
  readonly nextOutputs: readonly string[];
  firstFeeds(window: Tensor, tokens: readonly number[]): TensorMap;
  nextFeeds(cache: DecoderCache, token: number): TensorMap;
  begin(window: Tensor, length: number, outputs: TensorMap): DecoderCache;
  advance(cache: DecoderCache, outputs: TensorMap): DecoderCache;
}

const pastPrefix = 'past_key_values.';

/** Reads from the graphs' inputs and outputs how a decoder hands on its keys and values. */
export function createCacheLayout(
  heads: DecoderHeads,
  first: Session,
  next: Session,
  others: readonly string[] = [],
): CacheLayout {
  const firstInputs = knownInputs(first, others);
  const nextInputs = knownInputs(next, others);
  const all = pastInputs(next);
  if (all.length === 0) throw notADecoder('no inputs past_key_values.*');
  const growing = all.filter((name) => !name.includes('.encoder.'));
  for (const name of all) assertOutput(first, toPresent(name));
  for (const name of growing) assertOutput(next, toPresent(name));
  // A merged graph wants something for each input, also of the branch that it doesn't take.
  const nothing = Object.fromEntries(
    pastInputs(first).map((name) => [name, emptyPast(heads, firstInputs.get(name)!)]),
  );

  return {
    firstOutputs: all.map(toPresent),
    nextOutputs: growing.map(toPresent),
    firstFeeds: (window, tokens) => ({ ...nothing, ...feedsOf(firstInputs, { window, tokens, start: 0 }) }),
    nextFeeds: ({ past, window, length }, token) => ({
      ...past,
      ...feedsOf(nextInputs, { window, tokens: [token], start: length }),
    }),
    begin: (window, length, outputs) => ({ window, length, past: pick(all, outputs) }),
    advance: ({ window, length, past }, outputs) => ({
      window,
      length: length + 1,
      past: { ...past, ...pick(growing, outputs) },
    }),
  };
}

interface Step {
  readonly window: Tensor;
  readonly tokens: readonly number[];
  /** Position of the first of the tokens. */
  readonly start: number;
}

function feedsOf(inputs: ReadonlyMap<string, ElementType>, { window, tokens, start }: Step): TensorMap {
  const count = tokens.length;
  const positions = tokens.map((_, index) => start + index);
  const known: TensorMap = {
    input_ids: int64([1, count], tokens),
    encoder_hidden_states: window,
    position_ids: int64([1, count], positions),
    cache_position: int64([count], positions),
    use_cache_branch: { type: 'bool', dims: [1], data: Uint8Array.of(start > 0 ? 1 : 0) },
  };
  return Object.fromEntries(Object.entries(known).filter(([name]) => inputs.has(name)));
}

const plainInputs = new Set([
  'input_ids',
  'encoder_hidden_states',
  'position_ids',
  'cache_position',
  'use_cache_branch',
]);

function knownInputs({ inputs }: Session, others: readonly string[]): ReadonlyMap<string, ElementType> {
  const unknown = inputs.find(
    ({ name }) => !plainInputs.has(name) && !name.startsWith(pastPrefix) && !others.includes(name),
  );
  if (unknown) throw notADecoder(`unknown input ${unknown.name}`);
  return new Map(inputs.map(({ name, type }) => [name, type]));
}

function pastInputs({ inputs }: Session): string[] {
  return inputs.map(({ name }) => name).filter((name) => name.startsWith(pastPrefix));
}

function toPresent(past: string): string {
  return past.replace(pastPrefix, 'present.');
}

function pick(pastNames: readonly string[], outputs: TensorMap): TensorMap {
  return Object.fromEntries(pastNames.map((name) => [name, outputs[toPresent(name)]!]));
}

function assertOutput({ outputs }: Session, wanted: string): void {
  if (!outputs.some(({ name }) => name === wanted)) throw notADecoder(`no output ${wanted}`);
}

function emptyPast({ decoderHeads, headSize }: DecoderHeads, type: ElementType): Tensor {
  const data = type === 'float16' ? new Uint16Array(0) : new Float32Array(0);
  return { type, dims: [1, decoderHeads, 0, headSize], data };
}

/** A tensor of whole numbers, such as ids of tokens. */
export function int64(dims: readonly number[], values: readonly number[]): Tensor {
  return { type: 'int64', dims, data: BigInt64Array.from(values, BigInt) };
}

function notADecoder(reason: string): InferenceError {
  return fieldError('source', `the graph is not the decoder of a recognizer: ${reason}`);
}
