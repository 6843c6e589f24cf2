import { float16ToFloat32Into } from '../core/math/float16.ts';
import { isPast, isPastKeyOrValue, presentName } from '../core/onnx/cache-names.ts';
import type { ModelSignature, ValueSignature } from '../core/onnx/model-signature.ts';
import { lastPositions } from '../core/onnx/rewrites/last-position.ts';
import { rowLengthInputs } from '../core/onnx/rewrites/row-lengths.ts';
import type { Session, Tensor, TensorMap } from './contract.ts';

/** Tokens of the rows that are tried: of different lengths, so that a batch of them is ragged. */
const prompts = [24, 9] as const;
const decodeSteps = 3;

/**
 * Runs a decoder on two short prompts and a few tokens after each.
 *
 * @param options.ragged both prompts in one batch, the shorter one padded on the right: for graphs with
 *   `GroupQueryAttention` and positions as an input
 * @returns logits of the last position after each step, row after row
 * @throws Error when the decoder can't run them
 */
export async function probeDecoder(
  session: Session,
  signature: ModelSignature,
  { ragged }: { readonly ragged: boolean },
): Promise<readonly Float32Array[]> {
  const rows = prompts.map((length, row) => tokensOf(row, length + decodeSteps, signature));
  const batches = ragged ? [[0, 1]] : [[0], [1]];
  const logits: Float32Array[][] = rows.map(() => []);
  for (const batch of batches) {
    const lengths = batch.map((row) => prompts[row]!);
    let cache = emptyCache(signature, batch.length);
    let past = 0;
    for (let step = 0; step <= decodeSteps; step++) {
      const count = step === 0 ? Math.max(...lengths) : 1;
      const feeds = createFeeds(signature, {
        tokens: batch.map((row) => rows[row]!),
        starts: lengths.map((length) => (step === 0 ? 0 : length + step - 1)),
        ends: lengths.map((length) => length + step),
        past,
        count,
      });
      const results = await session.run({ ...feeds, ...cache });
      batch.forEach((row, index) => {
        const position = step === 0 ? lengths[index]! - 1 : 0;
        logits[row]!.push(rowOf(results['logits']!, index, position));
      });
      cache = nextCache(signature, results);
      past += count;
    }
  }
  return logits.flat();
}

/** The largest difference, and the largest logit as a measure for it. */
export function compareLogits(
  expected: readonly Float32Array[],
  actual: readonly Float32Array[],
): { readonly difference: number; readonly largest: number; readonly relative: number } {
  let difference = 0;
  let largest = 0;
  let squares = 0;
  let squaredDifferences = 0;
  for (const [row, logits] of expected.entries()) {
    for (const [token, logit] of logits.entries()) {
      const apart = Math.abs(logit - (actual[row]?.[token] ?? Number.NaN));
      // Not a number anywhere makes the result one.
      difference = apart > difference || Number.isNaN(apart) ? apart : difference;
      largest = Math.max(largest, Math.abs(logit));
      squares += logit * logit;
      squaredDifferences += apart * apart;
    }
  }
  return { difference, largest, relative: Math.sqrt(squaredDifferences / squares) };
}

interface ProbeStep {
  readonly tokens: readonly Int32Array[];
  /** First and end position of each row's new tokens. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Slots of the cache. */
  readonly past: number;
  readonly count: number;
}

function createFeeds(
  { inputs }: ModelSignature,
  { tokens, starts, ends, past, count }: ProbeStep,
): TensorMap {
  const rows = tokens.length;
  const width = past + count;
  const embeddings = inputs.filter(({ name }) => /^(?:inputs_embeds|per_layer_inputs)$/.test(name));
  const planes = inputs.find(({ name }) => name === 'position_ids')?.dims.length === 3 ? 3 : 1;
  const all: TensorMap = {
    input_ids: int64([rows, count], (row, index) => tokens[row]![starts[row]! + index] ?? 0),
    attention_mask: int64([rows, width], (row, slot) => (slot < ends[row]! ? 1 : 0)),
    position_ids: int64(
      planes === 3 ? [planes, rows, count] : [rows, count],
      (row, index) => starts[row % rows]! + index,
    ),
    ...Object.fromEntries(
      embeddings.map((input) => [input.name, embedded(input, { rows, count, tokens, starts })]),
    ),
    num_logits_to_keep: { type: 'int64', dims: [], data: BigInt64Array.of(0n) },
    [lastPositions]: int64([rows, 1], (row) => ends[row]! - starts[row]! - 1),
    [rowLengthInputs.lengths]: int64([rows], (row) => ends[row]!),
    [rowLengthInputs.width]: { type: 'int64', dims: [], data: BigInt64Array.of(BigInt(width)) },
  };
  const names = new Set(inputs.map(({ name }) => name));
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}

function int64(dims: readonly number[], value: (row: number, index: number) => number): Tensor {
  const [rows = 1, width = 1] = dims.slice(-2);
  const length = dims.reduce((product, size) => product * size, 1);
  const data = BigInt64Array.from({ length: Math.max(length, rows * width) }, (_, at) =>
    BigInt(value(Math.floor(at / width), at % width)),
  );
  return { type: 'int64', dims, data };
}

/** An element of the embedding of a token: the same every time, about as large as those of real models. */
export function probeEmbedding(token: number, element: number): number {
  return Math.sin(1 + token * 12.9898 + element * 78.233);
}

function embedded(
  { name, dims: [, , ...sizes] }: ValueSignature,
  { rows, count, tokens, starts }: Pick<ProbeStep, 'tokens' | 'starts' | 'count'> & { readonly rows: number },
): Tensor {
  const own = sizes.map(Number);
  const size = own.reduce((product, one) => product * one, 1);
  if (!Number.isInteger(size)) throw new RangeError(`${name}: sizes are open`);
  const data = Float32Array.from({ length: rows * count * size }, (_, at) => {
    const row = Math.floor(at / (count * size));
    const token = tokens[row]![starts[row]! + (Math.floor(at / size) % count)] ?? 0;
    return probeEmbedding(token, at % size);
  });
  return { type: 'float32', dims: [rows, count, ...own], data };
}

function emptyCache({ inputs }: ModelSignature, rows: number): TensorMap {
  return Object.fromEntries(
    inputs.filter(isPast).map((input) => {
      const { name, type, dims } = input;
      const slots = isPastKeyOrValue(input) ? 2 : -1;
      const sizes = dims.map((dim, axis) => (axis === 0 ? rows : axis === slots ? 0 : Number(dim)));
      if (!sizes.every((size) => Number.isInteger(size))) throw new RangeError(`${name}: sizes are open`);
      const length = sizes.reduce((product, size) => product * size, 1);
      const data = type === 'float16' ? new Uint16Array(length) : new Float32Array(length);
      return [name, { type, dims: sizes, data } as Tensor];
    }),
  );
}

function nextCache({ inputs }: ModelSignature, results: TensorMap): TensorMap {
  return Object.fromEntries(inputs.filter(isPast).map(({ name }) => [name, results[presentName(name)]!]));
}

/** Ids that every vocabulary has, the same every time. */
function tokensOf(row: number, count: number, { outputs }: ModelSignature): Int32Array {
  const size = outputs.find(({ name }) => name === 'logits')?.dims.at(-1);
  const vocabulary = Math.min(typeof size === 'number' ? size : 100, 1000);
  return Int32Array.from({ length: count }, (_, index) => (index * 37 + row * 101 + 11) % vocabulary);
}

function rowOf({ type, dims, data }: Tensor, row: number, position: number): Float32Array {
  const [, positions, size] = dims as readonly [number, number, number];
  const at = (row * positions + Math.min(position, positions - 1)) * size;
  if (type !== 'float16') return Float32Array.from(data.subarray(at, at + size) as Float32Array);
  return float16ToFloat32Into(new Float32Array(size), data.subarray(at, at + size) as Uint16Array);
}
