import {
  readNumber,
  readObject,
  readSides,
  stretchedFamily,
  type VisionConfig,
  type VisionFamily,
} from './family.ts';

const token = '<image>';

/**
 * LLaVA-OneVision: a picture is stretched to a square and read once. The ONNX exports on Hugging Face don't support
 * crops ("anyres") and the row separators that the reference puts between them.
 * @see https://huggingface.co/docs/transformers/model_doc/llava_onevision
 */
export function createLlavaOnevision({ config, preprocessor }: VisionConfig): VisionFamily {
  const vision = readObject(config, 'vision_config');
  const size = readSides(preprocessor, readNumber(vision, 'image_size', 384));
  const patch = readNumber(vision, 'patch_size', 14);
  const length = Math.floor(size.width / patch) * Math.floor(size.height / patch);
  const text = token.repeat(length);
  return stretchedFamily(preprocessor, {
    placeholder: token,
    pictureToken: token,
    size,
    defaultFilter: 'bicubic',
    text,
    length,
  });
}
