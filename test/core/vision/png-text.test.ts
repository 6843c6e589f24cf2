import sharp from 'sharp';
import { expect, it } from 'vitest';
import { addPngText } from '../../../src/core/vision/png-text.ts';

it.each(['a red circle', 'zwölf 🔴\nSteps: 4', 'a\0b', ''])('a PNG carries %j', async (text) => {
  const pixels = Buffer.from([1, 2, 3, 4, 5, 6]);
  const options = { raw: { width: 2, height: 1, channels: 3 } } as const;
  const png = addPngText(await sharp(pixels, options).png().toBuffer(), 'parameters', text);
  const { comments } = await sharp(png, { failOn: 'warning' }).metadata();
  expect(comments).toEqual([{ keyword: 'parameters', text: text.replace('\0', '') }]);
  expect(await sharp(png, { failOn: 'warning' }).removeAlpha().raw().toBuffer()).toEqual(pixels);
});
