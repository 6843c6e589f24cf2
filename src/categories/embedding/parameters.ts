import type { ParameterTable, ParameterValues } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of an embedding request. */
export const embeddingParameters = {
  dimensions: {
    type: 'int',
    min: 1,
    max: 65536,
    step: 1,
    section: 'basic',
    description:
      "Length of the vectors, where the model was trained for shorter ones (Matryoshka); all of the model's dimensions when left out.",
  },
  truncate: {
    type: 'boolean',
    default: false,
    section: 'basic',
    description: "Cut the end of texts that exceed the model's context; otherwise they are refused.",
  },
  promptName: {
    type: 'string',
    section: 'advanced',
    description:
      'Which of the prompts that the model defines, such as query or passage, is put before every text; when left out, the one that the model makes its default, if any.',
  },
} as const satisfies ParameterTable;

/** The values of `embeddingParameters`. */
export type EmbeddingParameters = ParameterValues<typeof embeddingParameters>;

/** Max number of texts per request. */
export const maxEmbeddingInputs = 2048;

/** Format of vectors in an answer: numbers, or base64 of little-endian float32. */
export const encodingFormats = ['float', 'base64'] as const;
