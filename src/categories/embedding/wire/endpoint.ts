import { setImmediate } from 'node:timers/promises';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import { jsonResponse } from '../../../http/responses.ts';
import type { EmbeddingEvent, EmbeddingResult } from '../events.ts';
import type { EmbeddingRequestInput } from '../request.ts';
import {
  embeddingForeignFields,
  fromEmbeddingRequest,
  type EmbeddingCall,
  embeddingRequestSchema,
  embeddingResponseSchema,
  toEmbeddingPieces,
  toEmbeddingResponse,
  type EmbeddingAnswerOptions,
} from './bodies.ts';

/** A piece this large blocks the event loop for a few milliseconds. */
const maxNumbersPerPiece = 32 * 1024;

export const embeddings: Endpoint<EmbeddingCall, EmbeddingRequestInput, EmbeddingEvent> = {
  method: 'POST',
  path: '/embeddings',
  operationId: 'createEmbeddings',
  summary: 'Turn texts into vectors.',
  requestBody: { name: 'EmbeddingRequest', schema: embeddingRequestSchema, foreign: embeddingForeignFields },
  responses: { 'application/json': { name: 'EmbeddingResponse', schema: embeddingResponseSchema } },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: fromEmbeddingRequest,
  async answer(run, { request, encodingFormat }) {
    const model = run.model.id;
    const [result] = await run.collect({ ...request, model });
    const options = { model, encodingFormat };
    const numbers = result!.embeddings.reduce((sum, { length }) => sum + length, 0);
    if (numbers <= maxNumbersPerPiece) return jsonResponse(200, toEmbeddingResponse(result!, options));
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: inTurns(result!, options) };
  },
};

async function* inTurns(result: EmbeddingResult, options: EmbeddingAnswerOptions): AsyncGenerator<string> {
  for (const piece of toEmbeddingPieces(result, { ...options, numbersPerPiece: maxNumbersPerPiece })) {
    yield piece;
    await setImmediate();
  }
}
