import { disposerOf } from '../load-options.ts';
import type { DynamicCache, PreTrainedModel, Tensor } from '@huggingface/transformers';
import { unsupportedError } from '../../../errors.ts';
import type { CacheRow, Decoder, DecoderCache } from '../../../contracts/decoder.ts';
import type { TransformersPackage } from '../load-package.ts';

/** Keys, values and states of a batch of sequences, in the package's format. */
export interface ForwardCache extends DecoderCache {
  past: DynamicCache | undefined;
  /** Output of the encoder for the prompt: `[rows, positions, size]`. */
  encoded: { readonly states: Tensor; readonly mask: Tensor } | undefined;
  /** Tokens of `lengths` that the encoder read. */
  promptLength: number;
}

export function createForwardCache(rows = 1): ForwardCache {
  const tensors = (): Tensor[] =>
    [...Object.values(cache.past ?? {}), ...Object.values(cache.encoded ?? {})] as Tensor[];
  const cache: ForwardCache = {
    rows,
    lengths: new Int32Array(rows),
    past: undefined,
    encoded: undefined,
    promptLength: 0,
    get bytes() {
      return tensors().reduce((sum, { data }) => sum + (data as Float32Array).byteLength, 0);
    },
    release() {
      for (const tensor of tensors()) if (tensor.location === 'gpu-buffer') tensor.dispose();
      cache.past = undefined;
      cache.encoded = undefined;
    },
  };
  return cache;
}

/** Copies rows of equal length into one cache. */
function gather(
  rows: readonly CacheRow<ForwardCache>[],
  { Tensor: TensorOf, DynamicCache: CacheOf }: Pick<TransformersPackage, 'Tensor' | 'DynamicCache'>,
): ForwardCache {
  const { cache: first, row: firstRow, length = first.lengths[firstRow]! } = rows[0]!;
  const gathered = createForwardCache(rows.length);
  gathered.lengths.fill(length);
  gathered.promptLength = first.promptLength;
  const join = (name: string, tensorOf: (cache: ForwardCache) => Tensor): Tensor => {
    const grows = first.encoded === undefined && name.startsWith('past_key_values.');
    const tensors = rows.map(({ cache }) => tensorOf(cache));
    return joinRows(TensorOf, tensors, rows, grows ? length : undefined);
  };
  if (first.past) {
    const ofName = (name: string) => (cache: ForwardCache) =>
      (cache.past as unknown as Record<string, Tensor>)[name]!;
    const entries = Object.keys(first.past).map((name) => [name, join(name, ofName(name))]);
    gathered.past = new CacheOf(Object.fromEntries(entries)) as DynamicCache;
  }
  if (first.encoded) {
    gathered.encoded = {
      states: join('encoder', ({ encoded }) => encoded!.states),
      mask: join('encoder', ({ encoded }) => encoded!.mask),
    };
  }
  return gathered;
}

/** The members of a decoder with `ForwardCache`s. */
export function cachingMembers(
  model: PreTrainedModel,
  transformers: TransformersPackage,
): Pick<Decoder<ForwardCache>, 'ragged' | 'raggedPrompts' | 'createCache' | 'gather' | 'release'> {
  return {
    ragged: false,
    raggedPrompts: false,
    createCache: createForwardCache,
    async gather(rows, replaced) {
      const gathered = gather(rows, transformers);
      replaced?.release();
      return gathered;
    },
    release: disposerOf(model),
  };
}

/** @param length positions of the second to last axis; default all */
function joinRows(
  TensorOf: typeof Tensor,
  tensors: readonly Tensor[],
  rows: readonly CacheRow<ForwardCache>[],
  length: number | undefined,
): Tensor {
  const { type, dims } = tensors[0]!;
  if (tensors.some(({ location, dims: [count] }, at) => location !== 'cpu' || count !== rows[at]!.cache.rows))
    throw unsupportedError('n', 'expected 1, since the model keeps its state in a form that has no rows');
  // Rows are copied whole, or the first positions of each of their parts.
  const isCut = length !== undefined && dims.length >= 3 && length !== dims.at(-2);
  const [positions, width] = isCut ? [dims.at(-2)!, dims.at(-1)!] : [1, sizeOf(dims.slice(1))];
  const parts = isCut ? sizeOf(dims.slice(1, -2)) : 1;
  const kept = (isCut ? length : 1) * width;
  const source = tensors.map(({ data }) => data as Float32Array);
  const data = new (source[0]!.constructor as Float32ArrayConstructor)(rows.length * parts * kept);
  for (const [index, { row }] of rows.entries()) {
    for (let part = 0; part < parts; part++) {
      const start = (row * parts + part) * positions * width;
      data.set(source[index]!.subarray(start, start + kept), (index * parts + part) * kept);
    }
  }
  const shape = isCut ? [...dims.slice(1, -2), length, width] : dims.slice(1);
  return new TensorOf(type, data, [rows.length, ...shape]);
}

function sizeOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}
