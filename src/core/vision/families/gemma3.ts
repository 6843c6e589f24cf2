import {
  readFilter,
  readNormalization,
  readNumber,
  readSides,
  stretchedInputs,
  symmetricNormalization,
  type VisionConfig,
  type VisionFamily,
} from './family.ts';

const token = '<image_soft_token>';
const start = '<start_of_image>';
const end = '<end_of_image>';

/**
 * Gemma 3: a picture is stretched to a square, without crops of its parts.
 * @see https://huggingface.co/docs/transformers/model_doc/gemma3
 */
export function createGemma3({ config, preprocessor }: VisionConfig): VisionFamily {
  const filter = readFilter(preprocessor, 'bilinear');
  const normalization = readNormalization(preprocessor, symmetricNormalization);
  const size = readSides(preprocessor, 896);
  const length = readNumber(config, 'mm_tokens_per_image', 256);
  if (preprocessor['do_pan_and_scan'] === true)
    throw new RangeError('do_pan_and_scan: expected false, got true');
  return {
    placeholder: start,
    pictureToken: token,
    prepare(picture) {
      return {
        inputs: stretchedInputs(picture, { size, filter, normalization }),
        text: `\n\n${start}${token.repeat(length)}${end}\n\n`,
        length,
      };
    },
  };
}
