import type { Size } from '../../../core/vision/box.ts';
import { fitEdges, type EdgeLimits } from '../../../core/vision/edge-limits.ts';
import type { HeadName } from '../../../core/vision/heads/head.ts';
import type { PixelFormat } from '../../../core/vision/input-tensor.ts';
import { fittingInput, letterbox, stretch, type Placement } from '../../../core/vision/letterbox.ts';
import type { InputSizes } from './input-sizes.ts';

/** Preprocessing of images. */
export interface Preprocessing {
  readonly format: PixelFormat;
  /** `stretch` fills the input with the image; the others pad it. */
  readonly fit: 'letterbox-center' | 'letterbox-start' | 'stretch';
}

/** An input of a model, and where the image is in it. */
export interface InputLayout {
  readonly input: Size;
  readonly placement: Placement;
}

type LayoutSizes = Pick<InputSizes, 'fixed' | 'edges' | 'step'>;
type Json = Readonly<Record<string, unknown>>;
type Triple = readonly [number, number, number];

const padding = 114;
const zeros = [0, 0, 0] as const;
const ones = [1, 1, 1] as const;

/**
 * Preprocessing with which a family of models was trained.
 *
 * @param preprocessor of `preprocessor_config.json`; only models of the DETR family have one
 */
export function preprocessingOf(head: HeadName, preprocessor: Json): Preprocessing {
  switch (head) {
    case 'fastestdet': {
      const format = { channelOrder: 'bgr', scale: 1 / 255, mean: zeros, deviation: ones, padding } as const;
      return { fit: 'stretch', format };
    }
    case 'yolox-maps':
    case 'yolox': {
      const format = { channelOrder: 'bgr', scale: 1, mean: zeros, deviation: ones, padding } as const;
      return { fit: 'letterbox-start', format };
    }
    case 'detr':
    case 'detr-softmax':
      return { fit: 'stretch', format: detrFormat(preprocessor) };
    default: {
      const format = { channelOrder: 'rgb', scale: 1 / 255, mean: zeros, deviation: ones, padding } as const;
      return { fit: 'letterbox-center', format };
    }
  }
}

/**
 * Lays an image out.
 *
 * @param longerSide of inputs that have no fixed size, a multiple of the step; padded inputs then shrink to the image's
 * proportions, and with edges it is the most that the longer side may be
 */
export function layOut(
  image: Size,
  fit: Preprocessing['fit'],
  { fixed, edges, step, longerSide }: LayoutSizes & { readonly longerSide: number },
): InputLayout {
  if (fit === 'stretch') {
    const free = edges
      ? fitEdges(image, scaled(edges, longerSide))
      : { width: longerSide, height: longerSide };
    const input = fixed ?? free;
    return { input, placement: stretch(input) };
  }
  const input = fixed ?? fittingInput(image, { longerSide, stride: step });
  return {
    input,
    placement: letterbox(image, input, { align: fit === 'letterbox-center' ? 'center' : 'start' }),
  };
}

/** Both limits are smaller or larger by the same factor. */
function scaled({ shortest, longest, multiple }: EdgeLimits, longerSide: number): EdgeLimits {
  const side = Math.max(1, Math.round((shortest * longerSide) / longest));
  return { shortest: side, longest: longerSide, multiple };
}

function detrFormat(preprocessor: Json): PixelFormat {
  const { do_rescale: rescales = true, rescale_factor: factor = 1 / 255 } = preprocessor;
  const normalizes = preprocessor['do_normalize'] === true;
  return {
    channelOrder: 'rgb',
    scale: rescales === true ? Number(factor) : 1,
    mean: normalizes ? tripleOf(preprocessor['image_mean'], zeros) : zeros,
    deviation: normalizes ? tripleOf(preprocessor['image_std'], ones) : ones,
    padding: 0,
  };
}

function tripleOf(value: unknown, fallback: Triple): Triple {
  return Array.isArray(value) && value.length === 3 ? (value.map(Number) as unknown as Triple) : fallback;
}
