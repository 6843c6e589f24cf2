import { join } from 'node:path';
import type { SessionBackend, EncodingModel } from '../../../../contracts/sessions.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { singleGraph, usualGraph } from '../../../../folder/model-files.ts';
import { openModelFolder } from '../../../../folder/model-folder.ts';
import { locateModel } from '../../../../folder/source.ts';
import { chooseTextLength, readTextLength } from '../../../../folder/text-length.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { defaultBatchLimits } from '../../../../runtime/encoder/sequence-batcher.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { Scorer } from '../../scorer.ts';
import type { RerankSettings } from '../../settings.ts';
import { createGraphScorer, toLogit } from './graph-scorer.ts';

/** Opens a cross-encoder in Hugging Face's ONNX layout, or one of an engine. */
export async function openCrossEncoder(
  spec: ModelSpec<RerankSettings>,
  sessions: SessionBackend,
): Promise<Scorer> {
  if (sessions.openTextEncoder) return openEngineScorer(spec, await sessions.openTextEncoder(spec));
  const path = locateModel(spec.source);
  const folder = await openModelFolder(path);
  const contextLength = chooseTextLength(spec.contextLength, readTextLength(folder));
  const tokenizer = createTextTokenizer(folder);
  // A tokenizer without pairs is refused now, not when the first request comes.
  tokenizer.pairWith('');
  const graph = join(path, sessions.hasGraphs ? singleGraph(localFiles(path), spec.dtype) : usualGraph);
  const session = await sessions.openSession({ graph }, spec);
  try {
    return { ...(await createGraphScorer(session)), tokenizer, contextLength, created: folder.created };
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** A model whose engine gives one logit or two for each pair. */
async function openEngineScorer(spec: ModelSpec<RerankSettings>, model: EncodingModel): Promise<Scorer> {
  const { maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens } = spec;
  const { tokenizer, folder } = model;
  try {
    const contextLength = chooseTextLength(spec.contextLength, model.contextLength);
    const encoder = await model.openEncoder({ contextLength, maxTokens, pooling: 'rank' });
    return {
      ...encoder,
      encode: async (pairs) => (await encoder.encode(pairs)).map(toLogit),
      tokenizer,
      contextLength,
      created: folder.created,
    };
  } catch (error) {
    await model.release?.();
    throw error;
  }
}
