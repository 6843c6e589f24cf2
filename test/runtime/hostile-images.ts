import sharp from 'sharp';
import { imageFormats } from '../../src/core/vision/image-format.ts';

/** Something that is no image, or a broken one. */
export interface HostileImage {
  readonly title: string;
  readonly bytes: Buffer;
}

const width = 96;
const height = 64;

/** An image with something in every part of it, in each format. */
export async function soundImages(): Promise<{ format: string; bytes: Buffer }[]> {
  const raw = Buffer.from(
    Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 7919 + Math.floor(at / 97) * 31) & 255),
  );
  const image = sharp(raw, { raw: { width, height, channels: 3 } });
  return Promise.all(
    imageFormats.map(async (format) => ({ format, bytes: await image.clone().toFormat(format).toBuffer() })),
  );
}

/** 500 of them, the same in every run. None can be decoded. */
export async function hostileImages(): Promise<HostileImage[]> {
  const sound = await soundImages();
  const png = sound.find(({ format }) => format === 'png')!.bytes;
  const broken: HostileImage[] = [...texts(), ...hugeHeaders(png)];
  for (const { format, bytes } of sound) {
    for (let part = 0; part < 60; part++) {
      const end = Math.floor((bytes.length * part) / 60);
      broken.push({ title: `${format}, its first ${end} bytes`, bytes: bytes.subarray(0, end) });
    }
    for (let seed = 0; seed < 10; seed++) {
      const noise = Buffer.concat([bytes.subarray(0, 12), noiseOf(500 * seed + 50, seed)]);
      broken.push({ title: `${format}, noise ${seed} after its first bytes`, bytes: noise });
    }
  }
  for (let seed = 0; broken.length < 500; seed++) {
    broken.push({ title: `png, flipped bytes ${seed}`, bytes: flipped(png, seed) });
  }
  return broken;
}

/** Changes a few bytes after the signature. */
export function flipped(bytes: Buffer, seed: number): Buffer {
  const copy = Buffer.from(bytes);
  const positions = noiseOf(16, seed);
  for (let flip = 0; flip < 8; flip++) {
    const position = 12 + (positions.readUInt16LE(flip * 2) % (copy.length - 12));
    copy[position]! ^= 1 + (positions[flip]! % 255);
  }
  return copy;
}

function noiseOf(length: number, seed: number): Buffer {
  let state = seed;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    }),
  );
}

function texts(): HostileImage[] {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const contents: Record<string, string> = {
    nothing: '',
    'one byte': '\xff',
    SVG: svg,
    'SVG with a declaration': `<?xml version="1.0"?>${svg}`,
    'SVG that reads a file': svg.replace('<rect', '<image href="file:///etc/passwd"/><rect'),
    'SVG with entities': `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${svg}`,
    HTML: '<!doctype html><title>Not found</title>',
    PDF: '%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj',
    PostScript: '%!PS-Adobe-3.0 EPSF-3.0',
    JSON: '{"image": true}',
    BMP: 'BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0',
    PPM: 'P6 1 1 255 abc',
    HEIC: '\0\0\0\x18ftypheic\0\0\0\0heicmif1',
    WAV: 'RIFF\x24\0\0\0WAVEfmt ',
    ZIP: 'PK\x03\x04',
    script: '#!/bin/sh\nexit',
    'zero bytes': '\0'.repeat(1000),
  };
  return Object.entries(contents).map(([title, text]) => ({ title, bytes: Buffer.from(text, 'latin1') }));
}

/** A PNG of a header alone: bits for each sample, and 2 for RGB or 6 for RGBA. */
export function pngHeader(
  [across, down]: readonly [number, number],
  depth: 8 | 16 = 8,
  colour: 2 | 6 = 2,
): Buffer {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(across, 0);
  header.writeUInt32BE(down, 4);
  header.set([depth, colour], 8);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
  bytes.writeUInt32BE(data.length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

function hugeHeaders(png: Buffer): HostileImage[] {
  const sizes = [20_000, 65_535, 100_000, 2 ** 24, 2 ** 31 - 1];
  return sizes.flatMap((size) => {
    const header = Buffer.from(png);
    header.writeUInt32BE(size, 16);
    header.writeUInt32BE(size, 20);
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
    const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(7)]);
    gif.writeUInt16LE(size & 0xffff, 6);
    gif.writeUInt16LE(size & 0xffff, 8);
    return [
      { title: `png of ${size} × ${size}`, bytes: header },
      { title: `gif of ${size & 0xffff} × ${size & 0xffff}`, bytes: gif },
    ];
  });
}

/** @see https://www.w3.org/TR/png-3/#D-CRCAppendix */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
