import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { openImage } from '../../src/runtime/image.ts';
import { flipped, hostileImages, pngHeader, soundImages } from './hostile-images.ts';

const limits = { maxPixels: 2 ** 26 };
const size = { width: 8, height: 8 };

async function pixelsOf(bytes: Uint8Array, to = size): Promise<Uint8Array> {
  return (await openImage(bytes, limits)).toPixels(to);
}

interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly alpha: number;
}

/** The left half in one colour, the right half in another. */
function halves(left: Colour, right: Colour, channels: 3 | 4 = 3): Sharp {
  const raw = Buffer.alloc(16 * 8 * channels);
  for (let at = 0; at < 16 * 8; at++) {
    const { r, g, b, alpha } = at % 16 < 8 ? left : right;
    raw.set([r, g, b, Math.round(alpha * 255)].slice(0, channels), at * channels);
  }
  return sharp(raw, { raw: { width: 16, height: 8, channels } });
}

const red = { r: 255, g: 0, b: 0, alpha: 1 };
const blue = { r: 0, g: 0, b: 255, alpha: 1 };
const clear = { r: 0, g: 0, b: 0, alpha: 0 };
const near = (pixels: Uint8Array, pixel: number, expected: readonly number[], tolerance = 12) => {
  const got = pixels.subarray(pixel * 3, pixel * 3 + 3);
  for (const [channel, value] of expected.entries())
    expect(Math.abs(got[channel]! - value), `${[...got]} for ${expected}`).toBeLessThanOrEqual(tolerance);
};

/** Resident memory in MiB that decoding adds at most, in a process of its own. */
function decodingMemory(path: string): number {
  const script = `
    import { readFileSync } from 'node:fs';
    import { openImage } from ${JSON.stringify(new URL('../../dist/src/runtime/image.js', import.meta.url))};
    const image = await openImage(readFileSync(${JSON.stringify(path)}), { maxPixels: 2 ** 26 });
    const before = process.resourceUsage().maxRSS;
    await image.toPixels({ width: 320, height: 320 });
    console.log((process.resourceUsage().maxRSS - before) / 1024);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script]));
}

describe('openImage', () => {
  it.each([
    ['webp', {}],
    ['webp', { lossless: true }],
    ['jpeg', {}],
  ] as const)('decodes a large %s %j at reduced size', { timeout: 120_000 }, async (format, options) => {
    const folder = mkdtempSync(join(tmpdir(), 'slashv1-image-'));
    const path = join(folder, `large.${format}`);
    const create = { width: 5000, height: 5000, channels: 3, background: red } as const;
    await sharp({ create }).toFormat(format, options).toFile(path);
    expect(decodingMemory(path)).toBeLessThan(64);
    rmSync(folder, { recursive: true });
  });

  it('refuses an AVIF of more than a quarter of the pixels, for what it costs', async () => {
    const bytes = await halves(red, blue).avif().toBuffer();
    await expect(openImage(bytes, { maxPixels: 4 * 128 - 4 })).rejects.toThrow(
      'at most 127 pixels of an image that takes 24 bytes per pixel, got 16 × 8',
    );
    expect(await openImage(bytes, { maxPixels: 4 * 128 })).toMatchObject({ width: 16, isLarge: false });
  });

  it.each(['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const)('reads %s', async (format) => {
    const bytes = await halves(red, blue).toFormat(format, { quality: 100 }).toBuffer();
    const image = await openImage(bytes, limits);
    expect([image.width, image.height]).toEqual([16, 8]);
    const pixels = await image.toPixels({ width: 16, height: 8 });
    expect(pixels).toHaveLength(16 * 8 * 3);
    near(pixels, 2, [255, 0, 0]);
    near(pixels, 13, [0, 0, 255]);
  });

  it('reads one pixel', async () => {
    const bytes = await sharp({ create: { width: 1, height: 1, channels: 3, background: red } })
      .png()
      .toBuffer();
    near(await pixelsOf(bytes), 63, [255, 0, 0], 0);
  });

  it.each([
    [1, 16, 8, [255, 0, 0], [0, 0, 255]],
    [2, 16, 8, [0, 0, 255], [255, 0, 0]],
    [3, 16, 8, [0, 0, 255], [255, 0, 0]],
    [6, 8, 16, [255, 0, 0], [0, 0, 255]],
    [8, 8, 16, [0, 0, 255], [255, 0, 0]],
  ])('turns an image of EXIF orientation %i', async (orientation, width, height, first, last) => {
    const bytes = await halves(red, blue).withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer();
    const image = await openImage(bytes, limits);
    expect([image.width, image.height]).toEqual([width, height]);
    const pixels = await image.toPixels({ width, height });
    near(pixels, 0, first);
    near(pixels, 127, last);
  });

  it('lays what is transparent on white', async () => {
    const pixels = await pixelsOf(
      await halves(clear, { ...red, alpha: 0.5 }, 4)
        .png()
        .toBuffer(),
    );
    near(pixels, 0, [255, 255, 255], 1);
    near(pixels, 7, [255, 127, 127], 2);
  });

  it.each([
    ['gray', (image: Sharp) => image.grayscale().png()],
    ['gray with alpha', (image: Sharp) => image.ensureAlpha().toColourspace('b-w').png()],
    ['sixteen bits', (image: Sharp) => image.toColourspace('rgb16').png()],
    ['CMYK', (image: Sharp) => image.toColourspace('cmyk').jpeg({ quality: 100 })],
    ['a palette', (image: Sharp) => image.png({ palette: true })],
    ['interlaced', (image: Sharp) => image.png({ progressive: true })],
    ['progressive', (image: Sharp) => image.jpeg({ progressive: true, quality: 100 })],
  ])('reads %s', async (_title, convert) => {
    const gray = { r: 120, g: 120, b: 120, alpha: 1 };
    const pixels = await pixelsOf(await convert(halves(gray, { r: 0, g: 0, b: 0, alpha: 1 })).toBuffer());
    near(pixels, 0, [120, 120, 120], 20);
    near(pixels, 7, [0, 0, 0], 40);
  });

  it('takes the first frame of several', async () => {
    const frames = await Promise.all([red, blue].map((colour) => halves(colour, colour).png().toBuffer()));
    const bytes = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(bytes).metadata()).pages).toBe(2);
    const image = await openImage(bytes, limits);
    expect([image.width, image.height]).toEqual([16, 8]);
    near(await image.toPixels(size), 0, [255, 0, 0]);
  });

  it('averages where it makes an image smaller', async () => {
    const stripes = Buffer.from(
      Uint8Array.from({ length: 256 * 3 }, (_, at) => (Math.floor(at / 3) % 2 ? 255 : 0)),
    );
    const bytes = await sharp(stripes, { raw: { width: 256, height: 1, channels: 3 } })
      .png()
      .toBuffer();
    const pixels = await pixelsOf(bytes, { width: 16, height: 1 });
    for (let pixel = 0; pixel < 16; pixel++) near(pixels, pixel, [127, 127, 127], 16);
  });

  it('keeps the middle in the middle where it makes an image larger', async () => {
    const bytes = await sharp(Buffer.of(0, 0, 0, 100, 100, 100), {
      raw: { width: 2, height: 1, channels: 3 },
    })
      .png()
      .toBuffer();
    const pixels = await pixelsOf(bytes, { width: 4, height: 2 });
    const row = [0, 25, 75, 100].flatMap((value) => [value, value, value]);
    expect([...pixels]).toEqual([...row, ...row]);
  });

  it('makes one side larger and the other smaller', async () => {
    const pixels = await pixelsOf(await halves(red, blue).png().toBuffer(), { width: 4, height: 20 });
    expect(pixels).toHaveLength(4 * 20 * 3);
    near(pixels, 0, [255, 0, 0], 1);
    near(pixels, 79, [0, 0, 255], 1);
  });

  it.each([
    [
      'two rows of RGBA in 16 bits',
      pngHeader([33_554_432, 2], 16, 6),
      'at most 16384 pixels a side, got 33554432 × 2',
    ],
    ['one row', pngHeader([60_000_000, 1]), 'at most 16384 pixels a side, got 60000000 × 1'],
    ['64 rows', pngHeader([1_048_576, 64]), 'at most 16384 pixels a side, got 1048576 × 64'],
    ['one column', pngHeader([1, 60_000_000]), 'at most 16384 pixels a side, got 1 × 60000000'],
    [
      'pixels of 8 bytes',
      pngHeader([8192, 8192], 16, 6),
      'at most 50331648 pixels of an image that takes 8 bytes per pixel, got 8192 × 8192',
    ],
  ])('weighs a picture before it is decoded: %s', async (_, bytes, reason) => {
    await expect(openImage(bytes)).rejects.toThrow(`image: expected ${reason}.`);
    expect(await openImage(pngHeader([8192, 6144], 16, 6))).toMatchObject({ isLarge: true });
  });

  it.each<[string, Sharp]>([
    [
      'a JPEG of four colours, which may have several scans',
      halves(red, blue).toColourspace('cmyk').jpeg({ chromaSubsampling: '4:4:4' }),
    ],
    ['WebP', halves(red, blue).webp()],
    ['RGBA in 16 bits', halves(red, blue, 4).toColourspace('rgb16').png()],
  ])('lets pictures of 8 bytes for each pixel have three quarters of the pixels: %s', async (_, picture) => {
    const bytes = await picture.toBuffer();
    await expect(openImage(bytes, { maxPixels: 170 })).rejects.toThrow('at most 127 pixels');
    expect(await openImage(bytes, { maxPixels: 171 })).toMatchObject({ width: 16, height: 8 });
  });

  it('takes sides up to maxSide', async () => {
    const bytes = await halves(red, blue).png().toBuffer();
    await expect(openImage(bytes, { maxSide: 15 })).rejects.toThrow('at most 15 pixels a side, got 16 × 8');
    expect(await openImage(bytes, { maxSide: 16 })).toMatchObject({ width: 16 });
  });

  it('refuses too many pixels before it decodes them', async () => {
    const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: red } })
      .png()
      .toBuffer();
    const refused = openImage(bytes, { maxPixels: 59_999 });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', param: 'image' });
    await expect(refused).rejects.toThrow('image: expected at most 59999 pixels, got 300 × 200.');
    await openImage(bytes, { maxPixels: 60_000 });
  });
});

describe('500 hostile images', () => {
  it('are refused, each of them', async () => {
    const images = await hostileImages();
    expect(images).toHaveLength(500);
    for (const { title, bytes } of images) {
      const outcome = await pixelsOf(bytes).then(
        () => 'decoded',
        (error: unknown) => error,
      );
      expect(outcome, title).toMatchObject({ code: 'invalid_request', param: 'image' });
    }
  }, 120_000);

  it('a format without checksums may survive changed bytes; if not, it is refused', async () => {
    for (const { format, bytes } of await soundImages()) {
      for (let seed = 0; seed < 20; seed++) {
        const outcome = await pixelsOf(flipped(bytes, seed)).then(
          ({ length }) => length,
          (error: { code?: string }) => error.code,
        );
        expect([192, 'invalid_request'], `${format} ${seed}`).toContain(outcome);
      }
    }
  }, 120_000);
});
