import type { Size } from '../../core/vision/box.ts';
import type { HeadName } from '../../core/vision/heads/head.ts';
import type { PixelFormat } from '../../core/vision/input-tensor.ts';
import { fittingInput, letterbox, stretch, type Placement } from '../../core/vision/letterbox.ts';

/** How images become inputs. */
export interface Preprocessing {
  readonly format: PixelFormat;
  /** `stretch` gives up an image's proportions; the others pad it. */
  readonly fit: 'letterbox-center' | 'letterbox-start' | 'stretch';
}

/** An input of a model, and where the image is in it. */
export interface InputLayout {
  readonly input: Size;
  readonly placement: Placement;
}

type Json = Readonly<Record<string, unknown>>;
type Triple = readonly [number, number, number];

const padding = 114;
const zeros = [0, 0, 0] as const;
const ones = [1, 1, 1] as const;

/**
 * How a family of models was trained to see images.
 *
 * @param preprocessor of `preprocessor_config.json`; only models of the DETR family have one
 */
export function preprocessingOf(head: HeadName, preprocessor: Json): Preprocessing {
  switch (head) {
    case 'yolox': {
      const format = { channelOrder: 'bgr', scale: 1, mean: zeros, deviation: ones, padding } as const;
      return { fit: 'letterbox-start', format };
    }
    case 'detr':
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
 * @param fixed the one size of the model's input, if it has one
 * @param sizes otherwise the longer side, a multiple of `stride`; padded inputs then shrink to the image's proportions
 */
export function layOut(
  image: Size,
  fit: Preprocessing['fit'],
  { fixed, longerSide, stride }: { fixed: Size | undefined; longerSide: number; stride: number },
): InputLayout {
  const square = { width: longerSide, height: longerSide };
  if (fit === 'stretch') {
    const input = fixed ?? square;
    return { input, placement: stretch(input) };
  }
  const input = fixed ?? fittingInput(image, { longerSide, stride });
  return {
    input,
    placement: letterbox(image, input, { align: fit === 'letterbox-center' ? 'center' : 'start' }),
  };
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
