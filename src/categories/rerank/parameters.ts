import type { ParameterTable } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of a rerank request. */
export const rerankParameters = {
  topN: {
    type: 'int',
    min: 1,
    max: 2048,
    step: 1,
    section: 'basic',
    description: 'Number of results, best first; default: all documents.',
  },
  returnDocuments: {
    type: 'boolean',
    default: false,
    section: 'basic',
    description: 'Return the text of each document with its result.',
  },
  maxTokensPerDoc: {
    type: 'int',
    min: 1,
    max: 1_048_576,
    step: 1,
    section: 'advanced',
    description:
      "Longer documents are truncated. Query and document together are always truncated to the model's context.",
  },
} as const satisfies ParameterTable;

/** Max number of documents per request. */
export const maxRerankDocuments = 2048;
