import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { resample } from '../core/vision/resample.ts';
import { detectImageFormat, imageFormats } from '../core/vision/image-format.ts';
import { fieldError, type InferenceError } from '../errors.ts';

export interface ImageOptions {
  /**
   * Larger images are rejected before decoding, and images whose decoding takes more than six bytes per pixel of this
   * limit. Default 2²⁶.
   */
  readonly maxPixels?: number | undefined;
  /** Images with a larger width or height are rejected before decoding. Default 16,384. */
  readonly maxSide?: number | undefined;
}

/** An image with its header parsed; each call of `toPixels` decodes it. */
export type OpenedImage = Awaited<ReturnType<typeof openImage>>;

interface Size {
  readonly width: number;
  readonly height: number;
}

const largePixels = 2 ** 22;
const defaultMaxPixels = 2 ** 26;
/** libvips keeps some hundred rows of an image. */
const defaultMaxSide = 2 ** 14;
/** Maximum bytes for decoding, per pixel of `maxPixels`. */
const bytesPerPixel = 6;
/** Bytes per pixel while decoding, as measured; AVIF 18, with more than eight bits up to 24. */
const costs: Readonly<Record<string, number>> = { heif: 24, gif: 5, webp: 8 };
/** Bytes of a sample in memory. */
const sampleBytes: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2, double: 8 };
/** Samples per pixel of a JPEG with chroma subsampling. */
const sampling: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2 };

// Images are decoded in parallel, in libuv's threads; more threads per image would take cores from the host.
sharp.concurrency(1);
// No image is requested twice.
sharp.cache(false);

/** Reads the header of an image: JPEG, PNG, WebP, GIF, AVIF or TIFF, by its content. */
export async function openImage(
  bytes: Uint8Array,
  { maxPixels = defaultMaxPixels, maxSide = defaultMaxSide }: ImageOptions = {},
) {
  if (detectImageFormat(bytes) === undefined)
    throw invalid(`expected an image of a format in ${imageFormats.join(', ')}, got other content`);
  // The limit is checked here, for a message with both numbers.
  const options: SharpOptions = { failOn: 'error', limitInputPixels: false };
  const metadata = await decoded(() => sharp(bytes, options).metadata());
  const { width, height } = metadata.autoOrient;
  const got = `got ${width} × ${height}`;
  if (Math.max(width, height) > maxSide) throw invalid(`expected at most ${maxSide} pixels a side, ${got}`);
  const cost = costOf(metadata);
  const maxDecodedPixels = Math.floor(maxPixels * Math.min(1, bytesPerPixel / cost));
  if (width * height > maxDecodedPixels) {
    const kind = cost > bytesPerPixel ? ` of an image that takes ${cost} bytes per pixel` : '';
    throw invalid(`expected at most ${maxDecodedPixels} pixels${kind}, ${got}`);
  }
  const isLarge = width * height > largePixels;
  return {
    /** In pixels, after applying the EXIF orientation. */
    width,
    height,
    /** Whether decoding may take more than 70 MB. */
    isLarge,
    /**
     * Decodes and resizes the image: upright, in sRGB, eight bits per channel, its first frame, transparency on white.
     * @returns `[height × width × 3]`, red, green and blue
     */
    async toPixels(size: Size): Promise<Uint8Array> {
      // Enlarging with sharp shifts the image by half a pixel, so sharp only downscales here.
      const most = { width: Math.min(width, size.width), height: Math.min(height, size.height) };
      // JPEG is always shrunk while loading, WebP only with this option, and less exactly.
      const fastShrinkOnLoad = isLarge && metadata.format === 'webp';
      const { data, info } = await decoded(() =>
        sharp(bytes, { ...options, limitInputPixels: maxPixels })
          .autoOrient()
          .flatten({ background: 'white' })
          .resize({ ...most, fit: 'fill', kernel: 'linear', fastShrinkOnLoad })
          .toColorspace('srgb')
          .raw({ depth: 'uchar' })
          .toBuffer({ resolveWithObject: true }),
      );
      if (info.channels !== 3) throw invalid(`expected three channels of color, got ${info.channels}`);
      return resample(data, most, size, 'bilinear');
    },
  };
}

/** Bytes per pixel while an image is decoded completely, as interlaced images must be. */
function costOf({ format, channels, depth, chromaSubsampling }: Metadata): number {
  // A progressive JPEG keeps the coefficients of all samples in 16 bits; its header doesn't contain the number of scans.
  if (format === 'jpeg') return 2 * (sampling[chromaSubsampling ?? ''] ?? channels);
  return costs[format] ?? channels * (sampleBytes[depth] ?? 4);
}

/** Higher levels take longer and save little. */
const pngCompressionLevel = 3;

/**
 * Encodes pixels as PNG with an adaptive filter per row, which makes photographs a third smaller.
 * @param pixels `[height × width × 3]`, red, green and blue
 */
export async function encodePng(
  pixels: Uint8Array | Uint8ClampedArray,
  { width, height }: Size,
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
