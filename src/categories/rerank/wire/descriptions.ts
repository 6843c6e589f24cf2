import type { Descriptions } from '../../../validation/describe-fields.ts';

export const rerankDescriptions: Descriptions = {
  query: 'The question or text to compare documents with.',
  text: 'Text of the document.',
  id: 'Id of this answer, made by the service.',
  index: 'Number of the document in the request, from 0.',
  document: 'The document; absent unless `return_documents` is true.',
  prompt_tokens: 'Tokens of all pairs of query and document.',
  total_tokens: 'The same number: there are no output tokens.',
};
