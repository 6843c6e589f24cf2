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
      "Length of the vectors, if the model was trained for shorter vectors (Matryoshka); default: all of the model's dimensions.",
  },
  truncate: {
    type: 'boolean',
    default: false,
    section: 'basic',
    description: "Truncate texts that exceed the model's context; otherwise they are rejected.",
  },
  promptName: {
    type: 'string',
    section: 'advanced',
    description:
      "Name of a prompt that the model defines, such as query or passage, to put before every text; default: the model's default prompt, if any.",
  },
} as const satisfies ParameterTable;

/** The values of `embeddingParameters`. */
export type EmbeddingParameters = ParameterValues<typeof embeddingParameters>;

/** Max number of texts per request. */
export const maxEmbeddingInputs = 2048;

/** Format of vectors in an answer: numbers, or base64 of little-endian float32. */
export const encodingFormats = ['float', 'base64'] as const;
