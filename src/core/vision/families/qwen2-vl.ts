import { roundHalfToEven } from '../../math/numeric.ts';
import type { Size } from '../box.ts';
import {
  readFilter,
  readNormalization,
  readNumber,
  readObject,
  resized,
  type Normalization,
  type Picture,
  type VisionConfig,
  type VisionFamily,
  symmetricNormalization,
} from './family.ts';

const defaultNormalization: Normalization = {
  scale: 1 / 255,
  mean: [0.48145466, 0.4578275, 0.40821073],
  deviation: [0.26862954, 0.26130258, 0.27577711],
};
const token = '<|image_pad|>';
const maxAspectRatio = 200;

/** Default values of Qwen's families. */
interface QwenDefaults {
  readonly patch: number;
  readonly minPixels: number;
  readonly maxPixels: number;
  readonly normalization: Normalization;
}

/**
 * Qwen2-VL and Qwen2.5-VL: a picture keeps its aspect ratio, and is split into patches within limits of its pixels.
 * @see https://huggingface.co/docs/transformers/model_doc/qwen2_vl
 */
export function createQwen2Vl(files: VisionConfig): VisionFamily {
  return createQwenVl(files, {
    patch: 14,
    minPixels: 56 * 56,
    maxPixels: 28 * 28 * 1280,
    normalization: defaultNormalization,
  });
}

/** Like `createQwen2Vl`, with the given defaults. */
function createQwenVl({ preprocessor }: VisionConfig, defaults: QwenDefaults): VisionFamily {
  const filter = readFilter(preprocessor, 'bicubic');
  const { scale, mean, deviation } = readNormalization(preprocessor, defaults.normalization);
  const patch = readNumber(preprocessor, 'patch_size', defaults.patch);
  const merged = readNumber(preprocessor, 'merge_size', 2);
  const block = patch * merged;
  const frames = readNumber(preprocessor, 'temporal_patch_size', 2);
  const size = readObject(preprocessor, 'size');
  const min = readNumber(preprocessor, 'min_pixels', readNumber(size, 'shortest_edge', defaults.minPixels));
  const max = readNumber(preprocessor, 'max_pixels', readNumber(size, 'longest_edge', defaults.maxPixels));
  return {
    placeholder: token,
    pictureToken: token,
    prepare(picture) {
      const fitting = fit(picture, block, min, max);
      const rows = fitting.height / patch;
      const columns = fitting.width / patch;
      const length = (rows * columns) / merged ** 2;
      const data = toPatches(resized(picture, fitting, filter));
      const grid = BigInt64Array.of(1n, BigInt(rows), BigInt(columns));
      const sides = { type: 'int64', dims: [1, 3], data: grid } as const;
      return {
        inputs: {
          pixel_values: { type: 'float32', dims: [rows * columns, data.length / (rows * columns)], data },
          // Graphs of Qwen2-VL call it `grid_thw`.
          grid_thw: sides,
          image_grid_thw: sides,
        },
        text: token.repeat(length),
        length,
        grid: { rows: rows / merged, columns: columns / merged },
      };
    },
  };

  /** `[patches × (3 × frames × patch × patch)]`; patches that the model merges are adjacent. */
  function toPatches({ pixels, width, height }: Picture): Float32Array {
    const data = new Float32Array(3 * frames * width * height);
    let at = 0;
    for (let top = 0; top < height; top += block) {
      for (let left = 0; left < width; left += block) {
        for (let inner = 0; inner < merged * merged; inner++) {
          const y0 = top + Math.floor(inner / merged) * patch;
          const x0 = left + (inner % merged) * patch;
          for (let channel = 0; channel < 3; channel++) {
            for (let frame = 0; frame < frames; frame++) {
              for (let y = y0; y < y0 + patch; y++) {
                for (let x = x0; x < x0 + patch; x++) {
                  const value = pixels[3 * (y * width + x) + channel]! * scale;
                  data[at++] = (value - mean[channel]!) / deviation[channel]!;
                }
              }
            }
          }
        }
      }
    }
    return data;
  }
}

/** Sides that are multiples of `block`, with about the picture's aspect ratio, and pixels within the limits. */
function fit({ width, height }: Size, block: number, minPixels: number, maxPixels: number): Size {
  const stretch = Math.max(width, height) / Math.min(width, height);
  if (stretch > maxAspectRatio) {
    throw new RangeError(
      `image: expected sides that differ by at most ${maxAspectRatio} times, got ${stretch}`,
    );
  }
  const near = {
    width: roundHalfToEven(width / block) * block,
    height: roundHalfToEven(height / block) * block,
  };
  if (near.width * near.height > maxPixels) {
    const shrinking = Math.sqrt((height * width) / maxPixels);
    const down = (side: number): number => Math.max(block, Math.floor(side / shrinking / block) * block);
    return { width: down(width), height: down(height) };
  }
  if (near.width * near.height < minPixels) {
    const growth = Math.sqrt(minPixels / (height * width));
    const up = (side: number): number => Math.ceil((side * growth) / block) * block;
    return { width: up(width), height: up(height) };
  }
  return near;
}

/**
 * Qwen3-VL and Qwen3.5: like Qwen2-VL, with larger patches and limits.
 * @see https://huggingface.co/docs/transformers/model_doc/qwen3_vl
 */
export function createQwen3Vl(files: VisionConfig): VisionFamily {
  return createQwenVl(files, {
    patch: 16,
    minPixels: 256 * 256,
    maxPixels: 4096 * 4096,
    normalization: symmetricNormalization,
  });
}
