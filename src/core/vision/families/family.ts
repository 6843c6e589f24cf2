import type { Size } from '../box.ts';
import { readTriple } from '../input-tensor.ts';
import { resample, type Filter } from '../resample.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Picture extends Size {
  /** `[height × width × 3]`, 0 to 255 */
  readonly pixels: Uint8Array;
}

/** A tensor for a vision encoder, row-major. */
export type EncoderInput =
  | { readonly type: 'float32'; readonly dims: readonly number[]; readonly data: Float32Array }
  | { readonly type: 'int64'; readonly dims: readonly number[]; readonly data: BigInt64Array }
  | { readonly type: 'bool'; readonly dims: readonly number[]; readonly data: Uint8Array };

/** A picture in the form that a model takes. */
export interface PreparedPicture {
  /** For the vision encoder, by input name. */
  readonly inputs: Readonly<Record<string, EncoderInput>>;
  /** Replaces the placeholder in the prompt. */
  readonly text: string;
  /** Number of picture tokens in `text`, equal to the rows of the encoder's output. */
  readonly length: number;
  /** Rows and columns of the picture tokens, for models with two-dimensional positions. */
  readonly grid?: { readonly rows: number; readonly columns: number };
}

/** How a family of vision-language models handles pictures. */
export interface VisionFamily {
  /** The marker for each picture in a rendered prompt. */
  readonly placeholder: string;
  /** The token whose embeddings the vision encoder computes. */
  readonly pictureToken: string;
  prepare(picture: Picture): PreparedPicture;
}

/** Parsed model files: `config.json`, and `preprocessor_config.json` or the like. */
export interface VisionConfig {
  readonly config: Json;
  readonly preprocessor: Json;
}

export interface Normalization {
  readonly scale: number;
  readonly mean: readonly [number, number, number];
  readonly deviation: readonly [number, number, number];
}

/** Scales pixels to −1 to 1. */
export const symmetricNormalization: Normalization = {
  scale: 1 / 255,
  mean: [0.5, 0.5, 0.5],
  deviation: [0.5, 0.5, 0.5],
};

const filters: Readonly<Record<number, Filter>> = { 1: 'lanczos', 2: 'bilinear', 3: 'bicubic' };

export function readFilter({ resample: number }: Json, fallback: Filter): Filter {
  if (number === undefined || number === null) return fallback;
  const filter = filters[Number(number)];
  if (filter === undefined) throw new RangeError(`resample: expected 1, 2 or 3, got ${String(number)}`);
  return filter;
}

export function readNormalization(preprocessor: Json, fallback: Normalization): Normalization {
  for (const step of ['do_resize', 'do_rescale', 'do_normalize']) {
    if (preprocessor[step] === false) throw new RangeError(`${step}: expected true, got false`);
  }
  return {
    scale: readNumber(preprocessor, 'rescale_factor', fallback.scale),
    mean: readTriple(preprocessor['image_mean'], fallback.mean),
    deviation: readTriple(preprocessor['image_std'], fallback.deviation),
  };
}

/** @throws RangeError unless the value is a positive number */
export function readNumber(json: Json, name: string, fallback: number): number {
  const value = json[name] ?? fallback;
  if (typeof value === 'number' && value > 0) return value;
  throw new RangeError(`${name}: expected a positive number, got ${JSON.stringify(value)}`);
}

/** A nested object; empty if missing. */
export function readObject(json: Json, name: string): Json {
  const value = json[name];
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** The size to which a preprocessor stretches every picture. */
export function readSides(preprocessor: Json, fallback: number): Size {
  const size = readObject(preprocessor, 'size');
  return { width: readNumber(size, 'width', fallback), height: readNumber(size, 'height', fallback) };
}

/** A family that stretches pictures and reads them once, without crops. */
export function stretchedFamily(
  preprocessor: VisionConfig['preprocessor'],
  {
    size,
    text,
    length,
    defaultFilter,
    ...tokens
  }: Pick<VisionFamily, 'placeholder' | 'pictureToken'> &
    Pick<PreparedPicture, 'text' | 'length'> & { readonly size: Size; readonly defaultFilter: Filter },
): VisionFamily {
  const filter = readFilter(preprocessor, defaultFilter);
  const normalization = readNormalization(preprocessor, symmetricNormalization);
  return {
    ...tokens,
    prepare(picture) {
      const data = new Float32Array(3 * size.width * size.height);
      toPlanesInto(data, resized(picture, size, filter), normalization);
      const pixels = { type: 'float32', dims: [1, 3, size.height, size.width], data } as const;
      return { inputs: { pixel_values: pixels }, text, length };
    },
  };
}

export function resized(picture: Picture, size: Size, filter: Filter): Picture {
  return { ...size, pixels: resample(picture.pixels, picture, size, filter) };
}

export function cropped(
  { pixels, width }: Picture,
  { left, top, ...size }: Size & { readonly left: number; readonly top: number },
): Picture {
  const part = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++) {
    const start = ((top + y) * width + left) * 3;
    part.set(pixels.subarray(start, start + size.width * 3), y * size.width * 3);
  }
  return { ...size, pixels: part };
}

/**
 * Converts pixels to one plane per color.
 * @param out receives `[3 × height × width]`
 */
export function toPlanesInto(
  out: Float32Array,
  { pixels, width, height }: Picture,
  { scale, mean, deviation }: Normalization,
): Float32Array {
  const area = width * height;
  for (let channel = 0; channel < 3; channel++) {
    for (let at = 0; at < area; at++)
      out[channel * area + at] = (pixels[3 * at + channel]! * scale - mean[channel]!) / deviation[channel]!;
  }
  return out;
}
