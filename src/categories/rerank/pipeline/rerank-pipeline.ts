import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { EncodingModel, SessionBackend } from '../../../backends/contract.ts';
import type { PairEncoder } from '../../../core/tokenization/pair-encoder.ts';
import { assertWanted, contextLengthError, fieldError } from '../../../errors.ts';
import { localFiles } from '../../../models/graph-files.ts';
import { singleGraph, usualGraph } from '../../../models/model-files.ts';
import { openModelFolder, type ModelFolder } from '../../../models/model-folder.ts';
import { locateModel } from '../../../models/source.ts';
import { readTextLength } from '../../../models/text-length.ts';
import { createTextTokenizer, type TextTokenizer } from '../../../models/tokenizer.ts';
import { SequenceBatcher } from '../../../runtime/encoder/sequence-batcher.ts';
import type { EncodedText } from '../../../runtime/encoder/token-inputs.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../contract.ts';
import type { RerankedDocument, RerankEvent, RerankModelInfo } from '../events.ts';
import type { RerankRequest } from '../request.ts';
import type { RerankSettings } from '../settings.ts';
import { createScorer, toScorer, type Scorer } from './scorer.ts';

/** Enough waiting pairs for full batches. */
const concurrency = 64;
const batchLimits = { maxTokens: 4096, maxRows: 256, batchCost: 32 };
/** Characters that are encoded before others get their turn. */
const charactersPerTurn = 32 * 1024;
/** A text of more characters than this for each token that fits is too long without looking closer. */
const mostCharactersPerToken = 32;

/**
 * Loads a rerank model: a cross-encoder in the hub's ONNX layout.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadRerankPipeline(
  spec: ModelSpec<RerankSettings>,
  backend: SessionBackend,
): Promise<Pipeline<RerankRequest, RerankEvent, RerankModelInfo>> {
  if (backend.openTextEncoder) return openEngineModel(spec, await backend.openTextEncoder(spec));
  const path = locateModel(spec.source);
  const folder = await openModelFolder(path);
  const contextLength = spec.contextLength ?? readTextLength(folder);
  if (contextLength === undefined) {
    throw fieldError('contextLength', 'no config file of the model has it, so it has to be given');
  }
  const tokenizer = createTextTokenizer(folder);
  // A tokenizer without pairs is refused now, not when the first request comes.
  tokenizer.pairWith('');
  const graph = join(path, backend.hasGraphs ? singleGraph(localFiles(path), spec.dtype) : usualGraph);
  const session = await backend.openSession({ graph }, spec);
  try {
    const scorer = await createScorer(session);
    return new RerankPipeline({ spec, folder, tokenizer, contextLength, scorer });
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** A model whose engine does the scoring. */
async function openEngineModel(
  spec: ModelSpec<RerankSettings>,
  model: EncodingModel,
): Promise<RerankPipeline> {
  try {
    const { folder, tokenizer } = model;
    const contextLength = spec.contextLength ?? model.contextLength;
    const { maxBatchTokens: maxTokens = batchLimits.maxTokens } = spec;
    const scorer = toScorer(await model.openEncoder({ contextLength, maxTokens, pooling: 'rank' }));
    return new RerankPipeline({ spec, folder, tokenizer, contextLength, scorer });
  } catch (error) {
    await model.release?.();
    throw error;
  }
}

interface LoadedModel {
  readonly spec: ModelSpec<RerankSettings>;
  readonly folder: Pick<ModelFolder, 'created'>;
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly scorer: Scorer;
}

class RerankPipeline implements Pipeline<RerankRequest, RerankEvent, RerankModelInfo> {
  readonly concurrency = concurrency;
  readonly info: RerankModelInfo;
  readonly #model: LoadedModel;
  readonly #batcher: SequenceBatcher<EncodedText>;

  constructor(model: LoadedModel) {
    const { spec, folder, contextLength, scorer } = model;
    this.#model = model;
    const maxTokens = spec.maxBatchTokens ?? batchLimits.maxTokens;
    this.#batcher = new SequenceBatcher(scorer, { ...batchLimits, maxTokens });
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'rerank',
      contextLength,
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  async *run(request: RerankRequest, { signal }: RunOptions = {}): AsyncGenerator<RerankEvent> {
    const { documents, topN = documents.length, returnDocuments } = request;
    const pairs = await this.#encode(request, signal);
    const logits = await this.#batcher.encode(pairs, signal);
    // By logits: scores of very relevant documents are all 1.
    const results = logits
      .map(([logit], index) => ({ index, logit: logit! }))
      .sort((a, b) => b.logit - a.logit)
      .slice(0, topN)
      .map(({ index, logit }): RerankedDocument => {
        const relevanceScore = 1 / (1 + Math.exp(-logit));
        return returnDocuments
          ? { index, relevanceScore, document: documents[index]! }
          : { index, relevanceScore };
      });
    yield { type: 'ranking', results, promptTokens: pairs.reduce((sum, { ids }) => sum + ids.length, 0) };
  }

  async close(): Promise<void> {
    await this.#batcher.idle();
    await this.#model.scorer.release();
  }

  async #encode(
    { query, documents, maxTokensPerDoc }: RerankRequest,
    signal: AbortSignal | undefined,
  ): Promise<EncodedText[]> {
    const { contextLength } = this.#model;
    const encoder = this.#encodeQuery(query);
    const room = Math.min(contextLength, encoder.length + (maxTokensPerDoc ?? contextLength));
    const pairs: EncodedText[] = [];
    let characters = 0;
    for (const document of documents) {
      if (characters > charactersPerTurn) {
        characters = 0;
        await setImmediate();
        assertWanted(signal);
      }
      const text = document.slice(0, contextLength * mostCharactersPerToken);
      pairs.push(encoder.encode(text, room));
      // Short ones take time too.
      characters += text.length + 64;
    }
    return pairs;
  }

  /** A query is never cut. */
  #encodeQuery(query: string): PairEncoder {
    const { tokenizer, contextLength } = this.#model;
    if (query.length <= contextLength * mostCharactersPerToken) {
      const encoder = tokenizer.pairWith(query);
      if (encoder.length < contextLength) return encoder;
    }
    throw contextLengthError(
      'query',
      contextLength,
      `the query, a text of ${query.length} characters, leaves no room for a document`,
    );
  }
}
