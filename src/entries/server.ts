export { createHandler } from '../server/handler.ts';
export { createHealthHandler } from '../server/health.ts';
export type { ErrorContext, HandlerOptions } from '../server/options.ts';
export type { ApiKey, Authentication, KeyLookup } from '../server/authentication.ts';
export type { Plan } from '../server/plans.ts';
export type { Limit, Limiter, LimiterFactory, LimiterOptions, LimiterState } from '../server/rate-limit.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from '../server/contract.ts';
export {
  toErrorBody,
  toErrorResponse,
  wireErrors,
  type ErrorBody,
  type WireError,
} from '../server/errors.ts';
export { fromChatRequest, type ChatCall } from '../server/wire/chat/from-request.ts';
export { toChatCompletion, type AnswerHead } from '../server/wire/chat/to-response.ts';
export { createChunker, type ChunkOptions } from '../server/wire/chat/to-chunks.ts';
export {
  chatCompletionChunkSchema,
  chatCompletionSchema,
  chatRequestSchema,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatRequestBody,
} from '../server/wire/chat/schema.ts';
export {
  toModel,
  toModelList,
  toModelParameters,
  type ModelParameters,
  type WireModel,
} from '../server/wire/models.ts';
