import type { VisionFamily } from '../../../../core/vision/families/family.ts';
import { fieldError } from '../../../../errors.ts';
import type { EncodedPicture } from './picture-table.ts';

/** Writes what a picture takes in a prompt in place of its placeholder. */
export function expandPlaceholders(
  prompt: string,
  texts: readonly string[],
  { placeholder }: Pick<VisionFamily, 'placeholder'>,
): string {
  const pieces = prompt.split(placeholder);
  if (pieces.length - 1 !== texts.length) {
    throw fieldError(
      'messages',
      `the model's chat template shows ${pieces.length - 1} of ${texts.length} pictures`,
    );
  }
  return pieces.map((piece, index) => `${piece}${texts[index] ?? ''}`).join('');
}

/** Puts the ids of pictures' rows in place of the tokens that stand for them. */
export function placePictures(
  prompt: Int32Array,
  pictures: readonly EncodedPicture[],
  pictureToken: number,
): Int32Array {
  const ids = pictures.flatMap(({ firstId, rows }) =>
    Array.from({ length: rows }, (_, row) => firstId - row),
  );
  const found = prompt.reduce((sum, token) => sum + (token === pictureToken ? 1 : 0), 0);
  if (found !== ids.length)
    throw fieldError('messages', `the prompt has room for ${found} of ${ids.length} rows of its pictures`);
  let next = 0;
  return prompt.map((token) => (token === pictureToken ? ids[next++]! : token));
}
