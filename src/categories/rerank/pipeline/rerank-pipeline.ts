import type { SessionBackend } from '../../../contracts/sessions.ts';
import { inSlices, Turns } from '../../../concurrency/in-slices.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import type { PairEncoder } from '../../../core/tokenization/pair-encoder.ts';
import { contextLengthError, whileWanted } from '../../../errors.ts';
import { SequenceBatcher, defaultBatchLimits } from '../../../runtime/encoder/sequence-batcher.ts';
import type { EncodedText } from '../../../contracts/text-model.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { RerankedDocument, RerankEvent, RerankModelInfo } from '../events.ts';
import type { RerankRequest } from '../request.ts';
import type { Scorer } from '../scorer.ts';
import type { RerankSettings } from '../settings.ts';
import { servePipeline } from '../../serve-pipeline.ts';

/** Texts with more characters per token of context are rejected without encoding. */
const maxCharactersPerToken = 32;

export async function loadRerankPipeline(
  spec: ModelSpec<RerankSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Scorer, RerankSettings>,
): Promise<Pipeline<RerankRequest, RerankEvent, RerankModelInfo>> {
  const scorer = await architecture.open(spec, sessions);
  const { contextLength, created } = scorer;
  const { maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens } = spec;
  const batcher = new SequenceBatcher(scorer, { ...defaultBatchLimits, maxTokens });
  const turns = new Turns();

  return servePipeline(spec, {
    /** Enough waiting pairs for full batches. */
    concurrency: 64,
    /** Slots for more owners. */
    reserve: 64,
    info: { category: 'rerank', contextLength, created },
    async *run(request, options) {
      const { documents, topN = documents.length, returnDocuments } = request;
      const { owner, signal } = options;
      const encoded = inSlices(encodePairs(scorer, request), { turns, owner, signal });
      const pairs = await whileWanted(signal, encoded);
      const logits = await batcher.encode(pairs, options);
      // Sort by logits: scores of very relevant documents are all 1.
      const results = logits
        .map(([logit], index) => ({ index, logit: logit! }))
        .sort((a, b) => b.logit - a.logit)
        .slice(0, topN)
        .map(({ index, logit }): RerankedDocument => {
          const relevanceScore = 1 / (1 + Math.exp(-logit));
          if (!returnDocuments) return { index, relevanceScore };
          return { index, relevanceScore, document: documents[index]! };
        });
      yield { type: 'ranking', results, promptTokens: pairs.reduce((sum, { ids }) => sum + ids.length, 0) };
    },
    models: [scorer],
  });
}

function* encodePairs(
  scorer: Scorer,
  { query, documents, maxTokensPerDoc }: RerankRequest,
): Generator<void, EncodedText[]> {
  const { contextLength } = scorer;
  const encoder = encodeQuery(scorer, query);
  const room = Math.min(contextLength, encoder.length + (maxTokensPerDoc ?? contextLength));
  const pairs: EncodedText[] = [];
  for (const document of documents) {
    pairs.push(encoder.encode(document.slice(0, contextLength * maxCharactersPerToken), room));
    yield;
  }
  return pairs;
}

/** A query is never truncated. */
function encodeQuery({ tokenizer, contextLength }: Scorer, query: string): PairEncoder {
  if (query.length <= contextLength * maxCharactersPerToken) {
    const encoder = tokenizer.pairWith(query);
    if (encoder.length < contextLength) return encoder;
  }
  const reason = `the query, a text of ${query.length} characters, leaves no room for a document`;
  throw contextLengthError('query', contextLength, reason);
}
