import { availableParallelism } from 'node:os';
import type { ModelSpec } from '../../contracts/model.ts';
import { fieldError } from '../../errors.ts';
import { openGgufFolder, readGgufFile } from '../../folder/gguf/gguf-folder.ts';
import { createTextTokenizer } from '../../folder/tokenizer.ts';
import { createLlamaDecoder } from '../../runtime/llama/llama-decoder.ts';
import { createLlamaEncoder } from '../../runtime/llama/llama-encoder.ts';
import { LlamaModel } from '../../runtime/llama/llama-model.ts';
import type { EncodingModel, TextModel } from '../../contracts/sessions.ts';
import { createEngineTokenizer } from './engine-tokenizer.ts';
import { defaultCacheTokens, type LlamaBackend } from './settings.ts';

/**
 * Opens a GGUF file. Template, special tokens and limits come from its metadata. So does the tokenizer where the file carries a
 * `tokenizer.json` along; else it is that of llama.cpp, since the metadata names the rules by which texts are split and doesn't
 * say them.
 */
export async function openGgufModel(spec: ModelSpec): Promise<TextModel & EncodingModel> {
  const { gpu, gpuLayers, cacheTokens } = (spec.backend ?? {}) as Partial<LlamaBackend>;
  const threads = spec.threads ?? Math.max(1, availableParallelism() - 1);
  const metadata = readGgufFile(spec.source);
  const model = await LlamaModel.load(spec.source, { gpu, gpuLayers });
  try {
    const ends = Array.from({ length: model.vocabularySize }, (_, id) => id).filter((id) => model.isEnd(id));
    const folder = await openGgufFolder(spec.source, metadata, ends);
    const tokenizer = folder.hasTokenizer
      ? createTextTokenizer(folder)
      : createEngineTokenizer(model, metadata);
    let isTaken = false;
    const taken = <T>(user: T): T => {
      isTaken = true;
      return user;
    };
    return {
      folder,
      tokenizer,
      contextLength: Math.min(model.trainedLength, cacheTokens ?? defaultCacheTokens),
      async openDecoder({ contextLength, maxRows }) {
        const tokens = cacheTokens ?? Math.max(defaultCacheTokens, contextLength);
        if (tokens < contextLength) {
          throw fieldError(
            'backend.cacheTokens',
            `expected at least the ${contextLength} of contextLength, got ${tokens}`,
          );
        }
        return taken(createLlamaDecoder(model, { cacheTokens: tokens, maxRows, threads }));
      },
      openEncoder: async ({ contextLength, maxTokens, pooling }) =>
        taken(createLlamaEncoder(model, { contextLength, maxTokens, pooling, threads })),
      async release() {
        if (!isTaken) model.release();
      },
    };
  } catch (error) {
    model.release();
    throw error;
  }
}
