import type { Descriptions } from '../../../validation/describe-fields.ts';

export const embeddingDescriptions: Descriptions = {
  index: 'Number of the input, from 0.',
  embedding: 'The vector, as `encoding_format` asks for it.',
  prompt_tokens: 'Tokens of all inputs.',
  total_tokens: 'The same number: nothing is written.',
};
