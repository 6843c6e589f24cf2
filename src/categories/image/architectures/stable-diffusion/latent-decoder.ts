import { scaleLatents, shrinkGrid, toRgb, type LatentScaling } from '../../../../core/diffusion/latents.ts';
import {
  addTile,
  cutTile,
  planTiles,
  tileWeights,
  type TileOptions,
} from '../../../../core/diffusion/tiles.ts';
import type { Limiter } from '../../../../concurrency/limit-concurrency.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { misfit, numberIn, type DiffusionComponent } from './diffusion-folder.ts';
import type { GraphRunOptions, Session } from '../../../../contracts/graph.ts';
import { encodePng } from '../../../../runtime/image.ts';
import { builtInSize } from '../../../../runtime/tensors.ts';
import { toFloat32, toTensor } from './tensors.ts';

export interface DecodeOptions extends GraphRunOptions {
  /** Runs each tile; its error ends the decoding. */
  readonly inTurn: Limiter;
}

export type LatentDecoder = ReturnType<typeof createLatentDecoder>;

export interface LatentDecoderOptions {
  /** Larger latents are decoded in tiles; default 128 × 128 cells. */
  readonly maxCells?: number | undefined;
  /** Sizes of tiles, in cells; the default needs no more memory than the largest image without tiles. */
  readonly tiles?: TileOptions | undefined;
}

const defaultMostCells = 128 * 128;
/** 2048 × 2048 pixels become nine tiles of 768 × 768. The large overlap hides that each tile is normalized separately. */
const defaultTiles: TileOptions = { max: 128, overlap: 16 };
/** For a graph with a fixed size. */
const fixedOverlap = 1 / 4;

/** Stable Diffusion 1's scaling, for files without a config. */
const defaultScalingFactor = 0.18215;
const defaultBlocks = 4;

/**
 * Decoding shrunk latents works for every model, unlike a linear approximation with per-model constants, and costs at most a
 * sixteenth of decoding the image.
 */
const previewCells = { min: 16, max: 32, share: 1 / 4 };

export function createLatentDecoder(
  session: Session,
  { name, config }: DiffusionComponent,
  { maxCells = defaultMostCells, tiles = defaultTiles }: LatentDecoderOptions = {},
) {
  const [input, ...others] = session.inputs;
  if (!input || others.length > 0 || input.dims.length !== 4) {
    const got = session.inputs.map((one) => `${one.name}[${one.dims.join(', ')}]`).join(' and ');
    throw misfit(name, `expected one input [1, channels, height, width], got ${got}`);
  }
  const output = session.outputs[0]!.name;
  const scaling = readScaling(config);
  const blocks = config['block_out_channels'];
  const factor = 2 ** ((Array.isArray(blocks) ? blocks.length : defaultBlocks) - 1);
  const [, , fixedHeight, fixedWidth] = input.dims.map(builtInSize);

  const run = async (
    latents: Float32Array,
    { width, height }: Size,
    { inTurn, signal }: DecodeOptions,
  ): Promise<Float32Array> => {
    const channels = latents.length / (width * height);
    const feeds = { [input.name]: toTensor(input, latents, [1, channels, height, width]) };
    const decoded = (await inTurn(() => session.run(feeds, [output], { signal })))[output]!;
    const expected = [1, 3, height * factor, width * factor];
    if (expected.some((dim, axis) => decoded.dims[axis] !== dim))
      throw misfit(name, `expected an output [${expected.join(', ')}], got [${decoded.dims.join(', ')}]`);
    return toFloat32(decoded);
  };

  const planAxis = (length: number, fixed: number | undefined, isWhole: boolean): TileOptions => {
    if (fixed !== undefined && fixed <= length)
      return { max: fixed, overlap: Math.floor(fixed * fixedOverlap), isFixed: true };
    return isWhole ? { max: length, overlap: 0 } : tiles;
  };

  const decodeTiles = async (
    latents: Float32Array,
    size: Size,
    options: DecodeOptions,
  ): Promise<Float32Array> => {
    const isWhole = size.width * size.height <= maxCells;
    const columns = planTiles(size.width, planAxis(size.width, fixedWidth, isWhole));
    const rows = planTiles(size.height, planAxis(size.height, fixedHeight, isWhole));
    const tile = { width: columns.size, height: rows.size };
    if (columns.starts.length === 1 && rows.starts.length === 1) return run(latents, size, options);
    const image = { width: size.width * factor, height: size.height * factor };
    const whole = new Float32Array(3 * image.width * image.height);
    const across = tileWeights(columns, factor);
    const down = tileWeights(rows, factor);
    for (const [row, top] of rows.starts.entries()) {
      for (const [column, left] of columns.starts.entries()) {
        const part = await run(cutTile(latents, { left, top, ...tile }, size), tile, options);
        const place = { left: left * factor, top: top * factor, across: across[column]!, down: down[row]! };
        addTile(whole, part, place, image);
      }
    }
    return whole;
  };

  return {
    /** Pixels per side of a latent cell. */
    factor,
    /** @param latents `[channels × height × width]` @returns `[height × width × 3]` of the image */
    async decode(latents: Float32Array, size: Size, options: DecodeOptions) {
      return toRgb(await decodeTiles(scaleLatents(latents, scaling), size, options));
    },
    /** A small PNG; `undefined` if the graph has a fixed size. */
    async preview(latents: Float32Array, size: Size, options: DecodeOptions) {
      if (fixedWidth !== undefined || fixedHeight !== undefined) return undefined;
      const small = previewSize(size);
      const decoded = await run(scaleLatents(shrinkGrid(latents, size, small), scaling), small, options);
      return encodePng(toRgb(decoded), { width: small.width * factor, height: small.height * factor });
    },
    release: () => session.release(),
  };
}

function previewSize({ width, height }: Size): Size {
  const longer = Math.max(width, height);
  const { min, max, share } = previewCells;
  const scale = Math.min(1, Math.min(max, Math.max(min, longer * share)) / longer);
  return { width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
}

function readScaling(config: Readonly<Record<string, unknown>>): LatentScaling {
  const numbers = (name: string): readonly number[] | undefined => {
    const value = config[name];
    return Array.isArray(value) ? value.map(Number) : undefined;
  };
  return {
    factor: numberIn(config, 'scaling_factor', defaultScalingFactor),
    shift: numberIn(config, 'shift_factor', 0),
    means: numbers('latents_mean'),
    deviations: numbers('latents_std'),
  };
}
