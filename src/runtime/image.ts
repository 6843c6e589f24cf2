import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { resample } from '../core/vision/resample.ts';
import { detectImageFormat, imageFormats } from '../core/vision/image-format.ts';
import { fieldError, type InferenceError } from '../errors.ts';

export interface ImageOptions {
  /**
   * An image of more pixels is refused before it is decoded, and one whose decoding takes more than six bytes for each of
   * so many. Default 2²⁶.
   */
  readonly maxPixels?: number | undefined;
  /** An image whose width or height is larger is refused before it is decoded. Default 16,384. */
  readonly maxSide?: number | undefined;
}

/** An image whose header has been read; it is decoded as often as `toPixels` is called. */
export type OpenedImage = Awaited<ReturnType<typeof openImage>>;

interface Size {
  readonly width: number;
  readonly height: number;
}

const largePixels = 2 ** 22;
const defaultMaxPixels = 2 ** 26;
/** libvips keeps some hundred rows of an image. */
const defaultMaxSide = 2 ** 14;
/** Most bytes that decoding may take, for each pixel of `maxPixels`. */
const bytesPerPixel = 6;
/** Bytes that decoding takes for each pixel, measured; AVIF 18, of more than eight bits up to 24. */
const costs: Readonly<Record<string, number>> = { heif: 24, gif: 5, webp: 8 };
/** Bytes of one sample in memory. */
const sampleBytes: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2, double: 8 };
/** Samples for each pixel of a JPEG whose colors have less. */
const sampling: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2 };

// Images are decoded beside each other, in libuv's threads; more threads for each would take cores from the host.
sharp.concurrency(1);
// No image is asked for twice.
sharp.cache(false);

/** Reads the header of an image: JPEG, PNG, WebP, GIF, AVIF or TIFF, by its content. */
export async function openImage(
  bytes: Uint8Array,
  { maxPixels = defaultMaxPixels, maxSide = defaultMaxSide }: ImageOptions = {},
) {
  if (detectImageFormat(bytes) === undefined)
    throw invalid(`expected an image of a format in ${imageFormats.join(', ')}, got other content`);
  // The limit is checked here, with both numbers in the message.
  const options: SharpOptions = { failOn: 'error', limitInputPixels: false };
  const metadata = await decoded(() => sharp(bytes, options).metadata());
  const { width, height } = metadata.autoOrient;
  const got = `got ${width} × ${height}`;
  if (Math.max(width, height) > maxSide) throw invalid(`expected at most ${maxSide} pixels a side, ${got}`);
  const cost = costOf(metadata);
  const mostPixels = Math.floor(maxPixels * Math.min(1, bytesPerPixel / cost));
  if (width * height > mostPixels) {
    const kind = cost > bytesPerPixel ? ` of an image that takes ${cost} bytes per pixel` : '';
    throw invalid(`expected at most ${mostPixels} pixels${kind}, ${got}`);
  }
  const isLarge = width * height > largePixels;
  return {
    /** In pixels, as it is to be looked at: with its EXIF orientation applied. */
    width,
    height,
    /** Whether it may take more than 70 MB to decode. */
    isLarge,
    /**
     * Decodes and resizes the image: upright, in sRGB, eight bits a channel, its first frame, on white where it is transparent.
     * @returns `[height × width × 3]`, red, green and blue
     */
    async toPixels(size: Size): Promise<Uint8Array> {
      // What sharp enlarges is half a pixel off, so that it only makes images smaller here.
      const most = { width: Math.min(width, size.width), height: Math.min(height, size.height) };
      // JPEG shrinks while it loads in any case, WebP only thus, and less exactly.
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

/** Bytes for each pixel while an image is decoded whole, as interlaced ones have to be. */
function costOf({ format, channels, depth, chromaSubsampling }: Metadata): number {
  // A JPEG of several scans keeps the coefficients of all its samples in 16 bits; its header doesn't tell how many follow.
  if (format === 'jpeg') return 2 * (sampling[chromaSubsampling ?? ''] ?? channels);
  return costs[format] ?? channels * (sampleBytes[depth] ?? 4);
}

/** Higher ones take longer and save next to nothing. */
const pngCompressionLevel = 3;

/**
 * Encodes pixels as PNG. Each row has the filter that suits it, which makes photographs a third smaller.
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
