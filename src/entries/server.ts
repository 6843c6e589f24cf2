export { createHandler } from '../server/handler.ts';
export { createHealthHandler } from '../server/health.ts';
export type { ErrorContext, HandlerOptions } from '../server/options.ts';
export type { ApiKey, Authentication, KeyLookup } from '../server/authentication.ts';
export type { Plan } from '../server/plans.ts';
export type { Limit, Limiter, LimiterFactory, LimiterOptions, LimiterState } from '../server/rate-limit.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from '../server/contract.ts';
export type { ObservedRequest, Observer, RequestEnd, RequestObserver } from '../server/observer.ts';
export type { Logger } from '../observability/logger.ts';
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
export { fromDetectRequest, type DetectCall } from '../server/wire/detect/from-request.ts';
export { toDetectResponse } from '../server/wire/detect/to-response.ts';
export {
  detectRequestSchema,
  detectResponseSchema,
  type DetectRequestBody,
  type DetectResponse,
} from '../server/wire/detect/schema.ts';
export { fromEmbeddingRequest, type EmbeddingCall } from '../server/wire/embeddings/from-request.ts';
export { toEmbeddingResponse, type EmbeddingAnswerOptions } from '../server/wire/embeddings/to-response.ts';
export {
  embeddingRequestSchema,
  embeddingResponseSchema,
  type EmbeddingRequestBody,
  type EmbeddingResponse,
} from '../server/wire/embeddings/schema.ts';
export { fromSpeechRequest, type SpeechCall } from '../server/wire/speech/from-request.ts';
export { toSpeechStreamEvents } from '../server/wire/speech/to-events.ts';
export {
  speechEventSchema,
  speechRequestSchema,
  type SpeechRequestBody,
  type SpeechStreamEvent,
} from '../server/wire/speech/schema.ts';
export {
  fromTranscriptionRequest,
  type TranscriptionCall,
} from '../server/wire/transcriptions/from-request.ts';
export { createTranscriptionStreamer } from '../server/wire/transcriptions/to-events.ts';
export { toTranscription, toVerboseTranscription } from '../server/wire/transcriptions/to-response.ts';
export {
  transcriptionEventSchema,
  transcriptionRequestSchema,
  transcriptionSchema,
  verboseTranscriptionSchema,
  type Transcription,
  type TranscriptionStreamEvent,
  type VerboseTranscription,
} from '../server/wire/transcriptions/schema.ts';
export type { FormField } from '../server/multipart.ts';
export { toVoiceList, type VoiceList } from '../server/wire/voices.ts';
export {
  toModel,
  toModelList,
  toModelParameters,
  type ModelParameters,
  type WireModel,
} from '../server/wire/models.ts';
