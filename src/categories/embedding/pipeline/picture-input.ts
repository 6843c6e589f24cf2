import { limitEdges } from '../../../core/vision/edge-limits.ts';
import { fieldError, InferenceError } from '../../../errors.ts';
import { openImage } from '../../../runtime/image.ts';
import { readImageSource } from '../../../runtime/image-source.ts';
import type { Picture } from '../encoder.ts';

/** Whether an input is a `data:` URL of a picture. */
export function isPictureUrl(input: unknown): boolean {
  return typeof input === 'string' && /^data:image\//i.test(input);
}

/**
 * Decodes the picture of a `data:` URL.
 *
 * @param longestSide most pixels of its longer side; a larger one is made smaller
 * @param param the name of the input in error messages
 */
export async function readPicture(
  url: string,
  longestSide: number | undefined,
  param: string,
): Promise<Picture> {
  try {
    const image = await openImage(await readImageSource(url));
    const size = limitEdges(image, longestSide ?? Infinity);
    return { ...size, pixels: await image.toPixels(size) };
  } catch (error) {
    if (!InferenceError.isInstance(error) || error.param !== 'image') throw error;
    throw fieldError(param, error.message.slice('image: '.length).replace(/\.$/, ''), { cause: error });
  }
}
