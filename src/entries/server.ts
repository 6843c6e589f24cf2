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
export { fromChatRequest, type ChatCall } from '../categories/chat/wire/from-request.ts';
export { toChatCompletion, type AnswerHead } from '../categories/chat/wire/to-response.ts';
export { createChunker, type ChunkOptions } from '../categories/chat/wire/to-chunks.ts';
export {
  chatCompletionChunkSchema,
  chatCompletionSchema,
  chatRequestSchema,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatRequestBody,
} from '../categories/chat/wire/schema.ts';
export { fromDetectRequest, type DetectCall } from '../categories/detection/wire/from-request.ts';
export { toDetectResponse } from '../categories/detection/wire/to-response.ts';
export {
  detectRequestSchema,
  detectResponseSchema,
  type DetectRequestBody,
  type DetectResponse,
} from '../categories/detection/wire/schema.ts';
export { fromEmbeddingRequest, type EmbeddingCall } from '../categories/embedding/wire/from-request.ts';
export {
  toEmbeddingResponse,
  type EmbeddingAnswerOptions,
} from '../categories/embedding/wire/to-response.ts';
export {
  embeddingRequestSchema,
  embeddingResponseSchema,
  type EmbeddingRequestBody,
  type EmbeddingResponse,
} from '../categories/embedding/wire/schema.ts';
export { fromSpeechRequest, type SpeechCall } from '../categories/speech/wire/from-request.ts';
export { toSpeechStreamEvents } from '../categories/speech/wire/to-events.ts';
export {
  speechEventSchema,
  speechRequestSchema,
  type SpeechRequestBody,
  type SpeechStreamEvent,
} from '../categories/speech/wire/schema.ts';
export {
  fromTranscriptionRequest,
  type TranscriptionCall,
} from '../categories/transcription/wire/from-request.ts';
export { createTranscriptionStreamer } from '../categories/transcription/wire/to-events.ts';
export { toTranscription, toVerboseTranscription } from '../categories/transcription/wire/to-response.ts';
export {
  transcriptionEventSchema,
  transcriptionRequestSchema,
  transcriptionSchema,
  verboseTranscriptionSchema,
  type Transcription,
  type TranscriptionStreamEvent,
  type VerboseTranscription,
} from '../categories/transcription/wire/schema.ts';
export type { FormField } from '../server/multipart.ts';
export { toVoiceList, type VoiceList } from '../categories/speech/wire/voices.ts';
export {
  toModel,
  toModelList,
  toModelParameters,
  type ModelParameters,
  type WireModel,
} from '../server/models.ts';
