import type { Descriptions } from '../../../validation/describe-fields.ts';

export const embeddingDescriptions: Descriptions = {
  index: 'Number of the input, from 0.',
  embedding: 'The vector, in the requested `encoding_format`.',
  prompt_tokens: 'Tokens of all inputs.',
  total_tokens: 'The same number: there are no output tokens.',
};
