import {
  readFilter,
  readNormalization,
  readNumber,
  readObject,
  resized,
  toPlanesInto,
  type VisionConfig,
  type VisionFamily,
} from './family.ts';

const half = [0.5, 0.5, 0.5] as const;
const token = '<image_soft_token>';
const start = '<start_of_image>';
const end = '<end_of_image>';

/**
 * Gemma 3: a picture is stretched to a square, without crops of its parts.
 *
 * @throws RangeError for settings that the reference has no place for, and for crops ("pan and scan")
 *
 * @see https://huggingface.co/docs/transformers/model_doc/gemma3
 */
export function createGemma3({ config, preprocessor }: VisionConfig): VisionFamily {
  const filter = readFilter(preprocessor, 'bilinear');
  const normalization = readNormalization(preprocessor, { scale: 1 / 255, mean: half, deviation: half });
  const stated = readObject(preprocessor, 'size');
  const size = { width: readNumber(stated, 'width', 896), height: readNumber(stated, 'height', 896) };
  const length = readNumber(config, 'mm_tokens_per_image', 256);
  if (preprocessor['do_pan_and_scan'] === true)
    throw new RangeError('do_pan_and_scan: expected false, got true');
  return {
    placeholder: start,
    pictureToken: token,
    prepare(picture) {
      const data = new Float32Array(3 * size.width * size.height);
      toPlanesInto(data, resized(picture, size, filter), normalization);
      return {
        inputs: { pixel_values: { type: 'float32', dims: [1, 3, size.height, size.width], data } },
        text: `\n\n${start}${token.repeat(length)}${end}\n\n`,
        length,
      };
    },
  };
}
