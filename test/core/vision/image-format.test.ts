import { expect, it } from 'vitest';
import { detectImageFormat } from '../../../src/core/vision/image-format.ts';

const text = (content: string) => Buffer.from(content, 'latin1');

it.each([
  ['jpeg', text('\xff\xd8\xff\xe0..JFIF')],
  ['png', text('\x89PNG\r\n\x1a\n')],
  ['webp', text('RIFF\x10\0\0\0WEBPVP8 ')],
  ['gif', text('GIF89a')],
  ['gif', text('GIF87a')],
  ['avif', text('\0\0\0\x20ftypavif')],
  ['tiff', text('II*\0')],
  ['tiff', text('MM\0*')],
  [undefined, text('')],
  [undefined, text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  [undefined, text('%PDF-1.7')],
  [undefined, text('RIFF\x10\0\0\0WAVE')],
  [undefined, text('\0\0\0\x20ftypheic')],
  [undefined, text('<!doctype html>')],
] as const)('%s', (format, bytes) => {
  expect(detectImageFormat(bytes)).toBe(format);
});
