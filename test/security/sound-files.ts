import { readdirSync, readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { chirp } from '../runtime/audio/chirp.ts';
import { mediaPath } from '../runtime/audio/read-all.ts';
import { silentFlac, silentMp3 } from '../runtime/audio/silence.ts';
import { oggPage } from '../runtime/audio/write-ogg.ts';
import { writeWav, type WavOptions } from '../runtime/audio/write-wav.ts';
import { soundImages } from '../runtime/hostile-images.ts';

/** Files by their names. */
export type Files = ReadonlyMap<string, Uint8Array>;

const wavs: readonly WavOptions[] = [
  { format: 1, bits: 8 },
  { format: 1, bits: 16 },
  { format: 1, bits: 24, channels: 6 },
  { format: 1, bits: 32 },
  { format: 3, bits: 32, sampleRateHz: 44_100 },
  { format: 3, bits: 64 },
  { format: 6, bits: 8, sampleRateHz: 8000 },
  { format: 7, bits: 8, isExtensible: true },
  { format: 1, bits: 16, length64: 38_400 },
  { format: 1, bits: 16, dataLength: 0xffff_ffff },
];

/** A recording in each container and codec that these tests have or can write. */
export function soundRecordings(): Files {
  const names = readdirSync(mediaPath('')).filter((name) => !/\.(?:py|json)$/.test(name));
  const e2e = new URL('../e2e/media/', import.meta.url);
  const spoken = readdirSync(e2e).filter((name) => !name.endsWith('.py'));
  return new Map([
    ...names.map((name) => [name, new Uint8Array(readFileSync(mediaPath(name)))] as const),
    ...spoken.map((name) => [name, new Uint8Array(readFileSync(new URL(name, e2e)))] as const),
    ...wavs.map((options) => {
      const samples = chirp(options.sampleRateHz ?? 16_000).subarray(0, 8000);
      return [`wav ${JSON.stringify(options)}`, writeWav(samples, options)] as const;
    }),
    ['silent flac', silentFlac(3)],
    ['silent mp3', silentMp3(3)],
    ['an empty ogg', oggPage([new Uint8Array(0), new Uint8Array(300)], { isFirst: true, isLast: true })],
  ]);
}

/** A picture in each format, and in the variants of it that its decoder has code of its own for. */
export async function soundPictures(): Promise<Files> {
  const plain = await soundImages();
  const noise = Buffer.from(Uint8Array.from({ length: 64 * 48 * 4 }, (_, at) => (at * 7919) & 255));
  const image = sharp(noise, { raw: { width: 64, height: 48, channels: 4 } });
  const variants: Readonly<Record<string, Sharp>> = {
    'progressive jpeg': image.clone().flatten().jpeg({ progressive: true }),
    'jpeg of CMYK': image.clone().flatten().toColourspace('cmyk').jpeg(),
    'jpeg on its side': image.clone().flatten().withMetadata({ orientation: 6 }).jpeg(),
    'grey jpeg': image.clone().flatten().greyscale().jpeg(),
    'interlaced png': image.clone().png({ progressive: true }),
    'png of 16 bits': image.clone().toColourspace('rgb16').png(),
    'png with a palette': image.clone().png({ palette: true, colours: 16 }),
    'webp without loss': image.clone().webp({ lossless: true }),
    'webp with transparency': image.clone().webp({ quality: 20 }),
    'interlaced gif': image.clone().gif({ progressive: true }),
    'avif without loss': image.clone().avif({ lossless: true }),
    'tiff, deflated tiles': image
      .clone()
      .tiff({ compression: 'deflate', tile: true, tileWidth: 16, tileHeight: 16 }),
    'tiff, lzw with a pyramid': image.clone().tiff({ compression: 'lzw', pyramid: true, tile: true }),
    'tiff, packed bits': image.clone().flatten().greyscale().tiff({ compression: 'packbits' }),
    'tiff of jpeg': image.clone().flatten().tiff({ compression: 'jpeg' }),
  };
  return new Map([
    ...plain.map(({ format, bytes }) => [format, bytes] as const),
    ...(await Promise.all(
      Object.entries(variants).map(async ([name, made]) => [name, await made.toBuffer()] as const),
    )),
  ]);
}
