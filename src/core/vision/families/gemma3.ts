import { readNumber, readSides, stretchedFamily, type VisionConfig, type VisionFamily } from './family.ts';

const token = '<image_soft_token>';
const start = '<start_of_image>';
const end = '<end_of_image>';

/**
 * Gemma 3: a picture is stretched to a square, without crops.
 * @see https://huggingface.co/docs/transformers/model_doc/gemma3
 */
export function createGemma3({ config, preprocessor }: VisionConfig): VisionFamily {
  if (preprocessor['do_pan_and_scan'] === true)
    throw new RangeError('do_pan_and_scan: expected false, got true');
  const length = readNumber(config, 'mm_tokens_per_image', 256);
  return stretchedFamily(preprocessor, {
    placeholder: start,
    pictureToken: token,
    size: readSides(preprocessor, 896),
    defaultFilter: 'bilinear',
    text: `\n\n${start}${token.repeat(length)}${end}\n\n`,
    length,
  });
}
