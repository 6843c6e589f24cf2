import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { embeddingParameters, maxEmbeddingInputs } from '../categories/embedding/parameters.ts';
import { lastEvent } from '../categories/last-event.ts';
import { answer, identityOf, start, type Host } from './call.ts';
import { createOptionsReader, toSdkName, type FieldNames } from './provider-options.ts';

const names: FieldNames = { own: { model: 'modelId', input: 'values', dimensions: 'dimensions' } };
const rename = toSdkName(names);
const readOptions = createOptionsReader(embeddingParameters, names, {});

/** Texts to vectors. */
export function createEmbeddingModel(host: Host<'embedding'>): EmbeddingModelV4 {
  return {
    ...identityOf(host),
    maxEmbeddingsPerCall: maxEmbeddingInputs,
    supportsParallelCalls: true,
    doEmbed: (call) =>
      answer(host, call, rename, async () => {
        const { values: input, dimensions, abortSignal: signal } = call;
        const request = { ...readOptions(call).parameters, input, dimensions };
        const { embeddings, promptTokens } = await lastEvent(start(host, request, { signal }));
        return {
          embeddings: embeddings.map((vector) => Array.from(vector)),
          usage: { tokens: promptTokens },
          warnings: [],
        };
      }),
  };
}
