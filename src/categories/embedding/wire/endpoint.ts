import { setImmediate } from 'node:timers/promises';
import type { EmbeddingResult } from '../../contract.ts';
import { readJson } from '../../../server/body.ts';
import { findModel } from '../../../server/call.ts';
import { awaitRun } from '../../../server/run.ts';
import { jsonResponse } from '../../../server/responses.ts';
import type { Route } from '../../../server/route.ts';
import { fromEmbeddingRequest } from './from-request.ts';
import { embeddingRequestSchema, embeddingResponseSchema } from './schema.ts';
import { toEmbeddingPieces, toEmbeddingResponse, type EmbeddingAnswerOptions } from './to-response.ts';

/** Writing so many takes some milliseconds, for which everybody else waits. */
const numbersAtOnce = 32 * 1024;

/** `POST /embeddings` */
export const embeddings: Route = {
  method: 'POST',
  path: '/embeddings',
  operationId: 'createEmbeddings',
  summary: 'Turn texts into vectors.',
  isInference: true,
  requestBody: { name: 'EmbeddingRequest', schema: embeddingRequestSchema },
  responses: { 'application/json': { name: 'EmbeddingResponse', schema: embeddingResponseSchema } },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  async handle(call) {
    const { request, encodingFormat, ...asked } = fromEmbeddingRequest(
      await readJson(call.request, call.settings.maxBodyBytes),
    );
    const { id: model } = findModel(call, asked.model, 'embedding');
    call.meter.assertModel(model);
    const result = await awaitRun(call, {
      start: (options) => call.inference.embed({ ...request, model }, options),
      count: ({ promptTokens }) => promptTokens,
    });
    const options = { model, encodingFormat };
    const numbers = result.embeddings.reduce((sum, { length }) => sum + length, 0);
    if (numbers <= numbersAtOnce) return jsonResponse(200, toEmbeddingResponse(result, options));
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: inTurns(result, options) };
  },
};

/** Lets others have their turn between the pieces. */
async function* inTurns(result: EmbeddingResult, options: EmbeddingAnswerOptions): AsyncGenerator<string> {
  for (const piece of toEmbeddingPieces(result, { ...options, numbersPerPiece: numbersAtOnce })) {
    yield piece;
    await setImmediate();
  }
}
