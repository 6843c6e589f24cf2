import type { Endpoint } from '../../../contracts/endpoint.ts';
import { createId } from '../../../http/headers.ts';
import { jsonResponse } from '../../../http/responses.ts';
import type { RerankEvent } from '../events.ts';
import type { RerankRequestInput } from '../request.ts';
import {
  fromRerankRequest,
  rerankForeignFields,
  type RerankCall,
  rerankRequestSchema,
  rerankResponseSchema,
  toRerankResponse,
} from './bodies.ts';

export const rerankDocuments: Endpoint<RerankCall, RerankRequestInput, RerankEvent> = {
  method: 'POST',
  path: '/rerank',
  operationId: 'rerankDocuments',
  summary: 'Order documents by relevance to a query.',
  requestBody: { name: 'RerankRequest', schema: rerankRequestSchema, foreign: rerankForeignFields },
  responses: { 'application/json': { name: 'RerankResponse', schema: rerankResponseSchema } },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: fromRerankRequest,
  async answer(run, { request }) {
    const model = run.model.id;
    const head = { id: createId('rerank-'), model };
    const [result] = await run.collect({ ...request, model }, { responseId: head.id });
    return jsonResponse(200, toRerankResponse(result!, head));
  },
};
