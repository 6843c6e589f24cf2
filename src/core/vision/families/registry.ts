import type { VisionConfig, VisionFamily } from './family.ts';
import { createGemma3 } from './gemma3.ts';
import { createIdefics3 } from './idefics3.ts';
import { createLlavaOnevision } from './llava-onevision.ts';
import { createQwen2Vl, createQwen3Vl } from './qwen2-vl.ts';

const families: Readonly<Record<string, (files: VisionConfig) => VisionFamily>> = {
  gemma3: createGemma3,
  idefics3: createIdefics3,
  llava_onevision: createLlavaOnevision,
  qwen2_5_vl: createQwen2Vl,
  qwen2_vl: createQwen2Vl,
  qwen3_5: createQwen3Vl,
  qwen3_vl: createQwen3Vl,
  smolvlm: createIdefics3,
};

/** The family of a config's `model_type`; `undefined` for an unknown type. */
export function createVisionFamily(files: VisionConfig): VisionFamily | undefined {
  const type = files.config['model_type'];
  return typeof type === 'string' && Object.hasOwn(families, type) ? families[type]!(files) : undefined;
}
