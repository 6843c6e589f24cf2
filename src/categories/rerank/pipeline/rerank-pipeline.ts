import type { SessionBackend } from '../../../contracts/sessions.ts';
import { Turns } from '../../../concurrency/turns.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import type { PairEncoder } from '../../../core/tokenization/pair-encoder.ts';
import { assertWanted, contextLengthError } from '../../../errors.ts';
import { createSequenceBatcher, defaultBatchLimits } from '../../../runtime/encoder/sequence-batcher.ts';
import type { EncodedText } from '../../../runtime/encoder/token-inputs.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { PipelineRunOptions } from '../../../contracts/run.ts';
import type { RerankedDocument, RerankEvent, RerankModelInfo } from '../events.ts';
import type { RerankRequest } from '../request.ts';
import type { Scorer } from '../scorer.ts';
import type { RerankSettings } from '../settings.ts';
import { servePipeline } from '../../serve-pipeline.ts';

/** Characters that are encoded before others get their turn. */
const charactersPerTurn = 8 * 1024;
/** A text of more characters than this for each token that fits is too long without looking closer. */
const mostCharactersPerToken = 32;

export async function loadRerankPipeline(
  spec: ModelSpec<RerankSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Scorer, RerankSettings>,
): Promise<Pipeline<RerankRequest, RerankEvent, RerankModelInfo>> {
  const scorer = await architecture.open(spec, sessions);
  const { contextLength, created } = scorer;
  const { maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens } = spec;
  const batcher = createSequenceBatcher(scorer, { ...defaultBatchLimits, maxTokens });
  const turns = new Turns();

  return servePipeline(spec, {
    /** Enough waiting pairs for full batches. */
    concurrency: 64,
    /** Requests of other owners. */
    reserve: 64,
    info: { category: 'rerank', contextLength, created },
    async *run(request, options) {
      const { documents, topN = documents.length, returnDocuments } = request;
      const pairs = await encodePairs(scorer, request, { ...options, turns });
      const logits = await batcher.encode(pairs, options);
      // By logits: scores of very relevant documents are all 1.
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

async function encodePairs(
  scorer: Scorer,
  { query, documents, maxTokensPerDoc }: RerankRequest,
  { turns, signal, owner }: PipelineRunOptions & { readonly turns: Turns },
): Promise<EncodedText[]> {
  const { contextLength } = scorer;
  const encoder = encodeQuery(scorer, query);
  const room = Math.min(contextLength, encoder.length + (maxTokensPerDoc ?? contextLength));
  const pairs: EncodedText[] = [];
  let characters = Infinity;
  for (const document of documents) {
    if (characters > charactersPerTurn) {
      characters = 0;
      await turns.next(owner);
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
function encodeQuery({ tokenizer, contextLength }: Scorer, query: string): PairEncoder {
  if (query.length <= contextLength * mostCharactersPerToken) {
    const encoder = tokenizer.pairWith(query);
    if (encoder.length < contextLength) return encoder;
  }
  const reason = `the query, a text of ${query.length} characters, leaves no room for a document`;
  throw contextLengthError('query', contextLength, reason);
}
