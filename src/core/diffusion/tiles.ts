import { assertNames } from '../assert-names.ts';
import { assertArray, assertCount, assertList, assertObject, assertSize } from '../assert-values.ts';

/** A split of one axis of a large grid into overlapping tiles of equal size. */
export interface TilePlan {
  readonly length: number;
  readonly size: number;
  /** Start of each tile, ascending; the first at 0, the last at `length − size`. */
  readonly starts: readonly number[];
}

/** Options of `planTiles`. */
export interface TileOptions {
  /** Maximum tile size; a shorter axis is one tile. */
  readonly max: number;
  /** Minimum overlap of neighbours; less than `max`. */
  readonly overlap: number;
  /** Whether tiles have exactly the size `max`; by default they are as small as their number allows. */
  readonly isFixed?: boolean | undefined;
}

/**
 * Splits an axis into as few tiles as possible, evenly spaced.
 *
 * @param length in cells; with `isFixed` at least `max`
 *
 * @example
 * ```ts
 * planTiles(256, { max: 144, overlap: 16 }); // { length: 256, size: 136, starts: [0, 120] }
 * ```
 */
export function planTiles(length: number, options: TileOptions): TilePlan {
  assertNames('planTiles', options, ['max', 'overlap', 'isFixed']);
  const { max, overlap, isFixed = false } = options;
  assertCount('length', length, { min: 1 });
  assertCount('max', max, { min: 1 });
  assertCount('overlap', overlap, { max: max - 1 });
  if (length <= max) return { length, size: length, starts: [0] };
  const count = Math.ceil((length - overlap) / (max - overlap));
  const size = isFixed ? max : Math.ceil((length + (count - 1) * overlap) / count);
  const starts = Array.from({ length: count }, (_, index) =>
    Math.round((index * (length - size)) / (count - 1)),
  );
  return { length, size, starts };
}

/**
 * The weight of each tile along an axis: all weights add up to 1 everywhere, and a tile's weight falls to 0 towards its
 * edges inside the grid, where the tile has the least context.
 *
 * @param scale values per cell
 * @returns for each tile `[size × scale]`
 *
 * @example
 * ```ts
 * tileWeights(planTiles(4, { max: 3, overlap: 2 }), 1); // [[1, 0.85, 0.15], [0.15, 0.85, 1]]
 * ```
 */
export function tileWeights(plan: TilePlan, scale: number): Float32Array[] {
  assertObject('plan', plan);
  const { length, size, starts } = plan;
  assertCount('length', length, { min: 1 });
  assertCount('size', size, { min: 1, max: length });
  assertList('starts', starts, (label, start) => assertCount(label, start, { max: length - size }));
  assertCount('scale', scale, { min: 1 });
  const sums = new Float64Array(length * scale);
  const rises = starts.map((start, index) => {
    const before = index === 0 ? 0 : starts[index - 1]! + size - start;
    const after = index === starts.length - 1 ? 0 : start + size - starts[index + 1]!;
    return Float64Array.from({ length: size * scale }, (_, at) =>
      Math.min(rise(at + 0.5, before * scale), rise(size * scale - at - 0.5, after * scale)),
    );
  });
  rises.forEach((weights, tile) =>
    weights.forEach((weight, at) => (sums[starts[tile]! * scale + at]! += weight)),
  );
  return rises.map((weights, tile) =>
    Float32Array.from(weights, (weight, at) => weight / sums[starts[tile]! * scale + at]!),
  );
}

/** From 0 at an edge to 1, a half cosine long. */
function rise(distance: number, width: number): number {
  return distance >= width ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * distance) / width);
}

/** A tile's position, and its weights across and down. */
export interface TilePlacement {
  readonly left: number;
  readonly top: number;
  /** The tile's weight in each column, from `tileWeights`. */
  readonly across: Float32Array;
  /** The tile's weight in each row. */
  readonly down: Float32Array;
}

/**
 * Adds a weighted tile to the whole image.
 *
 * @param out `[channels × height × width]`, zero before the first tile
 * @param tile `[channels × tile height × tile width]`
 * @param width of `out`
 *
 * @example
 * ```ts
 * const out = new Float32Array(4);
 * const ones = Float32Array.of(1, 1);
 * addTile(out, Float32Array.of(1, 2, 3, 4), { left: 0, top: 0, across: ones, down: ones }, { width: 2, height: 2 });
 * out; // [1, 2, 3, 4]
 * ```
 */
export function addTile(
  out: Float32Array,
  tile: Float32Array,
  placement: TilePlacement,
  size: { readonly width: number; readonly height: number },
): void {
  assertObject('placement', placement);
  const { left, top, across, down } = placement;
  assertArray('out', out, Float32Array);
  assertArray('across', across, Float32Array);
  assertArray('down', down, Float32Array);
  const place = { left, top, width: across.length, height: down.length };
  const channels = out.length / assertInside(out, place, size);
  const { width, height } = size;
  assertArray('tile', tile, Float32Array, { length: channels * across.length * down.length });
  let from = 0;
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < down.length; row++) {
      const to = (channel * height + top + row) * width + left;
      for (let column = 0; column < across.length; column++)
        out[to + column]! += down[row]! * across[column]! * tile[from++]!;
    }
  }
}

/** @returns the number of cells per channel of the whole */
function assertInside(
  whole: unknown,
  { left, top, width, height }: Readonly<Record<'left' | 'top' | 'width' | 'height', number>>,
  size: { readonly width: number; readonly height: number },
): number {
  assertSize('size', size);
  assertArray('whole', whole, Float32Array, { multiple: size.width * size.height });
  assertCount('width', width, { min: 1, max: size.width });
  assertCount('height', height, { min: 1, max: size.height });
  assertCount('left', left, { max: size.width - width });
  assertCount('top', top, { max: size.height - height });
  return size.width * size.height;
}

/**
 * Copies a tile from the whole.
 *
 * @param whole `[channels × height × width]`
 * @returns `[channels × tile height × tile width]`
 *
 * @example
 * ```ts
 * const whole = Float32Array.of(1, 2, 3, 4);
 * cutTile(whole, { left: 1, top: 0, width: 1, height: 2 }, { width: 2, height: 2 }); // [2, 4]
 * ```
 */
export function cutTile(
  whole: Float32Array,
  place: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
  size: { readonly width: number; readonly height: number },
): Float32Array {
  assertObject('place', place);
  const { left, top, width, height } = place;
  const cells = assertInside(whole, place, size);
  const channels = whole.length / cells;
  const tile = new Float32Array(channels * width * height);
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < height; row++) {
      const from = (channel * size.height + top + row) * size.width + left;
      tile.set(whole.subarray(from, from + width), (channel * height + row) * width);
    }
  }
  return tile;
}
