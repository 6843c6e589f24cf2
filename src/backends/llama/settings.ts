import { z } from 'zod';
import { choiceSetting, integerSetting, type SettingTable } from '../../validation/setting-table.ts';
import { llamaGpus, type LlamaGpu } from '../../runtime/llama/find-binaries.ts';
import { numberSchema } from '../../validation/number-schema.ts';

/** llama.cpp in a worker process of this machine; plain data. */
export interface LlamaBackend {
  readonly kind: 'llama';
  /** The device; default `auto`: the fastest available. */
  readonly gpu?: LlamaGpu | undefined;
  /** Layers on the GPU; default `all`. */
  readonly gpuLayers?: number | 'all' | undefined;
  /** Total tokens of all running sequences. */
  readonly cacheTokens?: number | undefined;
}

/** Settings of the backend `llama`. */
export const llamaSettings = {
  gpu: choiceSetting('The device; default `auto`: the fastest available.', llamaGpus),
  gpuLayers: z
    .union([z.literal('all'), numberSchema({ type: 'int', min: 0 })])
    .optional()
    .describe('Layers on the graphics processor; default `all`.'),
  cacheTokens: integerSetting(
    'Size of the cache of a chat model, in tokens of all running sequences; kept prefixes take as much of the main memory at most, or 256 MB; default: 16384 or `contextLength`, whichever is larger.',
  ),
} satisfies SettingTable;

/** Default of `cacheTokens`. */
export const defaultCacheTokens = 16_384;
