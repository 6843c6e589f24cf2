import type { Size } from '../../../../core/vision/box.ts';
import { fitEdges, type EdgeLimits } from '../../../../core/vision/edge-limits.ts';
import type { Preprocessing } from '../../../../core/vision/heads/preprocessing.ts';
import { fittingInput, letterbox, stretch } from '../../../../core/vision/letterbox.ts';
import type { InputLayout } from '../../detector.ts';
import type { InputSizes } from './input-sizes.ts';

type LayoutSizes = Pick<InputSizes, 'fixed' | 'edges' | 'step'>;

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
