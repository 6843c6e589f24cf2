import sharp, { type SharpOptions } from 'sharp';
import { resample } from '../core/vision/resample.ts';
import { detectImageFormat, imageFormats } from '../core/vision/image-format.ts';
import { fieldError, type InferenceError } from '../errors.ts';

export interface ImageOptions {
  /** An image of more pixels is refused before it is decoded, an AVIF of more than a quarter of that. */
  readonly maxPixels: number;
}

/** An image whose header has been read; it is decoded as often as `toPixels` is called. */
export interface OpenedImage {
  /** In pixels, as it is to be looked at: with its EXIF orientation applied. */
  readonly width: number;
  readonly height: number;
  /** Whether it may take more than 70 MB to decode. */
  readonly isLarge: boolean;
  /**
   * Decodes and resizes the image: upright, in sRGB, eight bits a channel, its first frame, on white where it is
   * transparent.
   *
   * @returns `[height × width × 3]`, red, green and blue
   * @throws InferenceError `invalid_request` where the image is damaged
   */
  toPixels(size: { readonly width: number; readonly height: number }): Promise<Uint8Array>;
}

const largePixels = 2 ** 22;
/** Bytes for each pixel, measured: AVIF 18, GIF 5, interlaced JPEG and PNG 3; WebP 8, unless it shrinks while it loads. */
const avifCost = 4;

// Images are decoded beside each other, in libuv's threads; more threads for each would take cores from the host.
sharp.concurrency(1);
// No image is asked for twice.
sharp.cache(false);

/**
 * Reads the header of an image: JPEG, PNG, WebP, GIF, AVIF or TIFF, by its content.
 *
 * @throws InferenceError `invalid_request` for any other content, a damaged header and too many pixels
 *
 * @example
 * ```ts
 * const image = await openImage(await readFile('bus.jpg'), { maxPixels: 1e8 });
 * const pixels = await image.toPixels({ width: 640, height: 480 }); // 640 × 480 × 3 bytes
 * ```
 */
export async function openImage(bytes: Uint8Array, { maxPixels }: ImageOptions): Promise<OpenedImage> {
  if (detectImageFormat(bytes) === undefined) {
    throw invalid(`expected an image of a format in ${imageFormats.join(', ')}, got other content`);
  }
  // The limit is checked here, with both numbers in the message.
  const options: SharpOptions = { failOn: 'error', limitInputPixels: false };
  const metadata = await decoded(() => sharp(bytes, options).metadata());
  const { width, height } = metadata.autoOrient;
  const mostPixels = metadata.format === 'heif' ? maxPixels / avifCost : maxPixels;
  if (width * height > mostPixels) {
    throw invalid(`expected at most ${mostPixels} pixels, got ${width} × ${height}`);
  }
  const isLarge = width * height > largePixels;
  return {
    width,
    height,
    isLarge,
    async toPixels(size) {
      // What sharp enlarges is half a pixel off, so that it only makes images smaller here.
      const most = { width: Math.min(width, size.width), height: Math.min(height, size.height) };
      // JPEG shrinks while it loads in any case, WebP only thus, and less exactly.
      const fastShrinkOnLoad = isLarge && metadata.format === 'webp';
      const { data, info } = await decoded(() =>
        sharp(bytes, { ...options, limitInputPixels: maxPixels })
          .autoOrient()
          .flatten({ background: 'white' })
          .resize({ ...most, fit: 'fill', kernel: 'linear', fastShrinkOnLoad })
          .toColourspace('srgb')
          .raw({ depth: 'uchar' })
          .toBuffer({ resolveWithObject: true }),
      );
      if (info.channels !== 3) throw invalid(`expected three channels of colour, got ${info.channels}`);
      return resample(data, most, size, 'bilinear');
    },
  };
}

/** Higher ones take longer and save next to nothing. */
const pngCompressionLevel = 3;

/**
 * Encodes pixels as PNG. Each row has the filter that suits it, which makes photographs a third smaller.
 *
 * @param pixels `[height × width × 3]`, red, green and blue
 *
 * @example
 * ```ts
 * const png = await encodePng(new Uint8Array(64 * 64 * 3), { width: 64, height: 64 });
 * ```
 */
export async function encodePng(
  pixels: Uint8Array | Uint8ClampedArray,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const png = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ adaptiveFiltering: true, compressionLevel: pngCompressionLevel })
    .toBuffer();
  return new Uint8Array(png.buffer, png.byteOffset, png.byteLength);
}

async function decoded<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (error) {
    throw fieldError('image', 'the image is damaged or of an unknown kind', { cause: error });
  }
}

function invalid(reason: string): InferenceError {
  return fieldError('image', reason);
}
