import type { Size } from '../../../../core/vision/box.ts';
import type { Denoiser } from './denoiser.ts';
import type { LatentDecoder } from './latent-decoder.ts';
import { fieldError } from '../../../../errors.ts';

/** The size of the latents for an image. */
export function toLatentSize(
  image: Size,
  { fixed, stride }: Pick<Denoiser, 'fixed' | 'stride'>,
  { factor }: Pick<LatentDecoder, 'factor'>,
): Size {
  const side = (name: 'width' | 'height'): number => {
    const pixels = image[name];
    const built = fixed[name];
    if (built !== undefined && pixels !== built * factor) {
      throw fieldError(name, `the model makes only images of ${built * factor}, got ${pixels}`);
    }
    const step = factor * (built === undefined ? stride : 1);
    if (pixels % step !== 0) throw fieldError(name, `expected a multiple of ${step}, got ${pixels}`);
    return pixels / factor;
  };
  return { width: side('width'), height: side('height') };
}
