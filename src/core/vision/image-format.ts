import { assertArray } from '../assert-values.ts';
/** The supported image formats. */
export const imageFormats = ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const;

/** A supported image format. */
export type ImageFormat = (typeof imageFormats)[number];

/**
 * Detects the format of an image from its first bytes and ignores its name and declared type; `undefined` for any other
 * content.
 *
 * @example
 * ```ts
 * detectImageFormat(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)); // 'jpeg'
 * ```
 */
export function detectImageFormat(bytes: Uint8Array): ImageFormat | undefined {
  assertArray('bytes', bytes, Uint8Array);
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpeg';
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  if (/^GIF8[79]a/.test(text)) return 'gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  if (/^ftyp(avif|avis|mif1|msf1)/.test(text.slice(4))) return 'avif';
  if (startsWith(bytes, [0x49, 0x49, 0x2a, 0]) || startsWith(bytes, [0x4d, 0x4d, 0, 0x2a])) return 'tiff';
  return undefined;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
