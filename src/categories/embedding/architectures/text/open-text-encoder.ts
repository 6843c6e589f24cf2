import type { SessionBackend, EncodingModel } from '../../../../contracts/sessions.ts';
import { fieldError } from '../../../../errors.ts';
import { locateModel } from '../../../../folder/source.ts';
import { chooseTextLength } from '../../../../folder/text-length.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { defaultBatchLimits } from '../../../../runtime/encoder/sequence-batcher.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { Encoder } from '../../encoder.ts';
import type { EmbeddingSettings } from '../../settings.ts';
import { openEmbeddingFolder } from './embedding-folder.ts';
import { createGraphEncoder } from './graph-encoder.ts';

/**
 * Opens an encoder in Hugging Face's ONNX layout, with or without the config files of sentence-transformers, or one of an
 * engine.
 */
export async function openTextEncoder(
  spec: ModelSpec<EmbeddingSettings>,
  sessions: SessionBackend,
): Promise<Encoder> {
  if (sessions.openTextEncoder) return openEngineEncoder(spec, await sessions.openTextEncoder(spec));
  const { dtype } = spec;
  const { hasGraphs } = sessions;
  const folder = await openEmbeddingFolder(locateModel(spec.source), { dtype, hasGraphs });
  const contextLength = chooseTextLength(spec.contextLength, folder.contextLength);
  const tokenizer = createTextTokenizer(folder);
  const session = await sessions.openSession({ graph: folder.graph }, spec);
  try {
    const isPooled = session.outputs.some(({ name }) => name === 'sentence_embedding');
    const pooling = spec.pooling ?? (isPooled ? undefined : folder.pooling);
    if (folder.furtherModules.length > 0 && (pooling || !isPooled)) {
      throw fieldError(
        'source',
        `the model's modules ${folder.furtherModules.join(', ')} are not in its graph, which has no output sentence_embedding`,
      );
    }
    return {
      ...(await createGraphEncoder(session, { pooling, poolsPrompt: folder.poolsPrompt })),
      tokenizer,
      vocabularySize: vocabularySizeOf(folder),
      contextLength,
      matryoshkaDimensions: folder.matryoshkaDimensions,
      prompts: folder.prompts,
      defaultPrompt: folder.defaultPrompt,
      created: folder.created,
    };
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** A model whose engine does the pooling. */
async function openEngineEncoder(spec: ModelSpec<EmbeddingSettings>, model: EncodingModel): Promise<Encoder> {
  const { pooling, maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens } = spec;
  const { tokenizer, folder } = model;
  try {
    const contextLength = chooseTextLength(spec.contextLength, model.contextLength);
    const encoder = await model.openEncoder({ contextLength, maxTokens, pooling });
    const vocabularySize = vocabularySizeOf(folder);
    return { ...encoder, tokenizer, vocabularySize, contextLength, created: folder.created };
  } catch (error) {
    await model.release?.();
    throw error;
  }
}

function vocabularySizeOf({
  config,
}: {
  readonly config: Readonly<Record<string, unknown>>;
}): number | undefined {
  const size = config['vocab_size'];
  return typeof size === 'number' ? size : undefined;
}
