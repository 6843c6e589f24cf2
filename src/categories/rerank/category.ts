import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import { resultOf } from '../result-of.ts';
import type { RerankEvent, RerankModelInfo, RerankResult } from './events.ts';
import { rerankModels } from './models.ts';
import { rerankParameters } from './parameters.ts';
import { completeRerankRequest, type RerankRequest, type RerankRequestInput } from './request.ts';
import { rerankSettings } from './settings.ts';
import { rerankDescriptions } from './wire/bodies.ts';
import { rerankDocuments } from './wire/endpoint.ts';

export interface RerankMethods {
  /** Orders documents by relevance to a query. */
  rerank(request: RerankRequestInput, options?: CallOptions): Promise<RerankResult>;
}

export const rerankCategory: CategoryDefinition<
  'rerank',
  RerankRequestInput,
  RerankRequest,
  RerankEvent,
  RerankModelInfo,
  typeof rerankSettings,
  RerankMethods
> = {
  ...rerankModels,
  parameters: rerankParameters,
  settings: rerankSettings,
  descriptions: rerankDescriptions,
  endpoints: [rerankDocuments],
  sample: {
    path: 'rerank',
    body: {
      query: 'a red circle',
      documents: ['A green star is below a blue square.', 'There is a red circle in the middle.'],
    },
  },
  warmUp: { query: 'Hello?', documents: ['Hello.'] },
  methods: (run) => ({ rerank: (request, options) => resultOf(run(request, options)) }),
  complete: completeRerankRequest,
  estimateTokens: ({ query, documents }) => ({
    input: documents
      .map((document) => estimateTokens(query + (typeof document === 'string' ? document : document.text)))
      .reduce((sum, tokens) => sum + tokens, 0),
    output: 0,
  }),
  estimateCost: ({ query, documents }) =>
    documents.reduce((sum, { length }) => sum + query.length + length, 1),
  isOutput: () => true,
  tally({ promptTokens }, { usage }) {
    usage.inputTokens = promptTokens;
  },
  telemetry: { operation: 'rerank' },
};
