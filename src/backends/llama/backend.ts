import { fieldError } from '../../errors.ts';
import { isGguf } from '../../folder/gguf/gguf-source.ts';
import { hasLlamaBinaries, llamaPackage } from '../../runtime/llama/find-binaries.ts';
import type { BackendDefinition } from '../../contracts/backend.ts';
import type { LlamaBackend } from './settings.ts';

/**
 * llama.cpp in a worker process of this machine, for GGUF files. The libraries come with the optional package
 * `node-llama-cpp`. A `source` that ends in `.gguf` uses this backend automatically; the function is for its settings.
 *
 * @throws InferenceError `invalid_request` if `node-llama-cpp` isn't installed
 *
 * @example
 * ```ts
 * createInference({
 *   models: { assistant: chat({ source: './models/qwen3-4b-q4_k_m.gguf', backend: llama({ gpuLayers: 'all' }) }) },
 * });
 * ```
 */
export function llama(options: Omit<LlamaBackend, 'kind'> = {}): LlamaBackend {
  assertInstalled();
  return { ...options, kind: 'llama' };
}

const categories: ReadonlySet<string> = new Set(['chat', 'embedding', 'rerank']);

/** Runs GGUF files: chat, embeddings and rerank. */
export const llamaDefinition: BackendDefinition = {
  kind: 'llama',
  spelling: 'llama({…})',
  ownsSource: isGguf,
  place: 'worker',
  // `gpu` of the descriptor replaces `device`, and the file has a fixed dtype.
  foreignSettings: [
    'dtype',
    'device',
    'optimize',
    'int8Activations',
    'speculation',
    'prefill',
    'imageFetch',
    'maxPixels',
    'maxSide',
    'maxImages',
  ],
  runs: ({ name }) => categories.has(name),
  async open() {
    assertInstalled();
    const { openGgufModel } = await import('./text-model.ts');
    return {
      sessions: {
        hasGraphs: false,
        openSession: () => Promise.reject(fieldError('backend', 'llama({…}) runs GGUF files, not graphs')),
        openTextModel: openGgufModel,
        openTextEncoder: openGgufModel,
      },
    };
  },
};

function assertInstalled(): void {
  if (hasLlamaBinaries()) return;
  const reason = `a GGUF file runs on llama.cpp, of which no binary for this machine is installed: npm install ${llamaPackage}`;
  throw fieldError('backend', reason);
}
