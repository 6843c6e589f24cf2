import type { Descriptions } from '../../../validation/describe-fields.ts';

export const rerankDescriptions: Descriptions = {
  query: 'The question or text that documents are compared with.',
  text: 'Text of the document.',
  id: 'Id of this answer, made by the service.',
  index: 'Number of the document in the request, from 0.',
  document: 'The document; left out unless `return_documents` asks for it.',
  prompt_tokens: 'Tokens of all pairs of query and document.',
  total_tokens: 'The same number: nothing is written.',
};
