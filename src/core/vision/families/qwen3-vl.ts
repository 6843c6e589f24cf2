import { symmetricNormalization, type VisionConfig, type VisionFamily } from './family.ts';
import { createQwenVl } from './qwen2-vl.ts';

/**
 * Qwen3-VL and Qwen3.5: as Qwen2-VL, with larger patches and limits.
 *
 * @throws RangeError for settings that the reference has no place for
 *
 * @see https://huggingface.co/docs/transformers/model_doc/qwen3_vl
 */
export function createQwen3Vl(files: VisionConfig): VisionFamily {
  return createQwenVl(files, {
    patch: 16,
    fewest: 256 * 256,
    most: 4096 * 4096,
    normalization: symmetricNormalization,
  });
}
