import type { RerankingModelV4, SharedV4Warning } from '@ai-sdk/provider';
import { lastEvent } from '../categories/last-event.ts';
import { rerankParameters } from '../categories/rerank/parameters.ts';
import { answer, identityOf, start, type Host } from './call.ts';
import { createOptionsReader, toSdkName, type FieldNames } from './provider-options.ts';

const names: FieldNames = {
  own: { model: 'modelId', query: 'query', documents: 'documents', top_n: 'topN' },
  refused: { return_documents: { advice: 'the SDK has the documents' } },
};
const rename = toSdkName(names);
const readOptions = createOptionsReader(rerankParameters, names, {});

const asJson: SharedV4Warning = {
  type: 'compatibility',
  feature: 'object documents',
  details: 'The model reads them as JSON.',
};

/** Documents to how well they answer a query. */
export function createRerankingModel(host: Host<'rerank'>): RerankingModelV4 {
  return {
    ...identityOf(host),
    doRerank: (call) =>
      answer(host, call, rename, async () => {
        const { documents: given, query, topN, abortSignal: signal } = call;
        const documents =
          given.type === 'text' ? given.values : given.values.map((one) => JSON.stringify(one));
        const request = { ...readOptions(call).parameters, query, documents, topN };
        const { results } = await lastEvent(start(host, request, { signal }));
        return {
          ranking: results.map(({ index, relevanceScore }) => ({ index, relevanceScore })),
          response: { timestamp: new Date(), modelId: host.modelId },
          warnings: given.type === 'text' ? [] : [asJson],
        };
      }),
  };
}
