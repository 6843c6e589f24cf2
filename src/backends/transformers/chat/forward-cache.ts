import { disposerOf } from '../load-options.ts';
import type { DynamicCache, PreTrainedModel, Tensor } from '@huggingface/transformers';
import { unsupportedError } from '../../../errors.ts';
import type { CacheRow, Decoder, DecoderCache } from '../../../contracts/decoder.ts';
import type { TransformersPackage } from '../load-package.ts';

/** Keys, values and other states of a batch of sequences, as the package keeps them. */
export class ForwardCache implements DecoderCache {
  readonly rows: number;
  readonly lengths: Int32Array;
  past: DynamicCache | undefined;
  /** Output of the encoder for the prompt: `[rows, positions, size]`. */
  encoded: { readonly states: Tensor; readonly mask: Tensor } | undefined;
  /** Tokens of `lengths` that the encoder read. */
  promptLength = 0;

  constructor(rows: number) {
    this.rows = rows;
    this.lengths = new Int32Array(rows);
  }

  get bytes(): number {
    return this.#tensors.reduce((sum, { data }) => sum + (data as Float32Array).byteLength, 0);
  }

  get #tensors(): Tensor[] {
    return [...Object.values(this.past ?? {}), ...Object.values(this.encoded ?? {})] as Tensor[];
  }

  release(): void {
    for (const tensor of this.#tensors) if (tensor.location === 'gpu-buffer') tensor.dispose();
    this.past = undefined;
    this.encoded = undefined;
  }

  /** Copies rows of the same length into one cache. */
  static gather(
    rows: readonly CacheRow<ForwardCache>[],
    { Tensor: TensorOf, DynamicCache: CacheOf }: Pick<TransformersPackage, 'Tensor' | 'DynamicCache'>,
  ): ForwardCache {
    const [first] = rows;
    const gathered = new ForwardCache(rows.length);
    const length = first!.length ?? first!.cache.lengths[first!.row]!;
    gathered.lengths.fill(length);
    gathered.promptLength = first!.cache.promptLength;
    const join = (name: string, tensorOf: (cache: ForwardCache) => Tensor): Tensor => {
      const grows = first!.cache.encoded === undefined && name.startsWith('past_key_values.');
      const tensors = rows.map(({ cache }) => tensorOf(cache));
      const shapes = rows.map(({ cache }) => cache.rows);
      return joinRows(TensorOf, tensors, {
        rows: rows.map(({ row }) => row),
        shapes,
        length: grows ? length : undefined,
      });
    };
    const names = Object.keys(first!.cache.past ?? {});
    const entries = names.map((name) => [
      name,
      join(name, ({ past }) => (past as unknown as Record<string, Tensor>)[name]!),
    ]);
    if (first!.cache.past) gathered.past = new CacheOf(Object.fromEntries(entries)) as DynamicCache;
    if (first!.cache.encoded) {
      gathered.encoded = {
        states: join('encoder', ({ encoded }) => encoded!.states),
        mask: join('encoder', ({ encoded }) => encoded!.mask),
      };
    }
    return gathered;
  }
}

/** The members of a decoder that keeps its state in `ForwardCache`s. */
export function cachingMembers(
  model: PreTrainedModel,
  transformers: TransformersPackage,
): Pick<Decoder<ForwardCache>, 'ragged' | 'raggedPrompts' | 'createCache' | 'gather' | 'release'> {
  return {
    ragged: false,
    raggedPrompts: false,
    createCache: (rows = 1) => new ForwardCache(rows),
    async gather(rows, replaced) {
      const gathered = ForwardCache.gather(rows, transformers);
      replaced?.release();
      return gathered;
    },
    release: disposerOf(model),
  };
}

interface JoinOptions {
  /** Rows to take of each tensor. */
  readonly rows: readonly number[];
  /** Number of rows that each tensor needs. */
  readonly shapes: readonly number[];
  /** Positions of the last axis but one; all if left out. */
  readonly length: number | undefined;
}

function joinRows(TensorOf: typeof Tensor, tensors: readonly Tensor[], options: JoinOptions): Tensor {
  const { rows, shapes, length } = options;
  const { type, dims } = tensors[0]!;
  if (tensors.some((tensor, index) => tensor.location !== 'cpu' || tensor.dims[0] !== shapes[index]))
    throw unsupportedError('n', 'expected 1, since the model keeps its state in a form that has no rows');
  // Rows are copied whole, or the first positions of each of their parts.
  const isCut = length !== undefined && dims.length >= 3 && length !== dims.at(-2);
  const [positions, width] = isCut ? [dims.at(-2)!, dims.at(-1)!] : [1, sizeOf(dims.slice(1))];
  const parts = isCut ? sizeOf(dims.slice(1, -2)) : 1;
  const kept = (isCut ? length : 1) * width;
  const source = tensors.map(({ data }) => data as Float32Array);
  const data = new (source[0]!.constructor as Float32ArrayConstructor)(rows.length * parts * kept);
  for (const [index, row] of rows.entries()) {
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
