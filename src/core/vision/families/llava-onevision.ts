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
const token = '<image>';

/**
 * LLaVA-OneVision: a picture is stretched to a square and seen once. Graphs of the hub have no place for the views of its
 * parts ("anyres") and the rows' ends that the reference puts between them.
 *
 * @throws RangeError for settings that the reference has no place for
 *
 * @see https://huggingface.co/docs/transformers/model_doc/llava_onevision
 */
export function createLlavaOnevision({ config, preprocessor }: VisionConfig): VisionFamily {
  const filter = readFilter(preprocessor, 'bicubic');
  const normalization = readNormalization(preprocessor, { scale: 1 / 255, mean: half, deviation: half });
  const vision = readObject(config, 'vision_config');
  const usual = readNumber(vision, 'image_size', 384);
  const stated = readObject(preprocessor, 'size');
  const size = { width: readNumber(stated, 'width', usual), height: readNumber(stated, 'height', usual) };
  const patch = readNumber(vision, 'patch_size', 14);
  const length = Math.floor(size.width / patch) * Math.floor(size.height / patch);
  return {
    placeholder: token,
    pictureToken: token,
    prepare(picture) {
      const data = new Float32Array(3 * size.width * size.height);
      toPlanesInto(data, resized(picture, size, filter), normalization);
      return {
        inputs: { pixel_values: { type: 'float32', dims: [1, 3, size.height, size.width], data } },
        text: token.repeat(length),
        length,
      };
    },
  };
}
