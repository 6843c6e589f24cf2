// Wire mapping: request bodies → requests, events → response bodies.
export { fromChatRequest, type ChatCall } from './chat/wire/chat/read.ts';
export { toChatCompletion, type AnswerHead } from './chat/wire/chat/print.ts';
export { createChunker, type ChunkOptions } from './chat/wire/chat/print-chunks.ts';
export {
  chatCompletionChunkSchema,
  chatCompletionSchema,
  chatRequestSchema,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatRequestBody,
} from './chat/wire/chat/schema.ts';
export { fromResponsesRequest, type ResponsesCall } from './chat/wire/responses/read.ts';
export { toResponseHead } from './chat/wire/responses/to-head.ts';
export {
  createResponseStreamer,
  toModelResponse,
  type ResponseFailure,
  type ResponseHead,
  type ResponseStreamer,
} from './chat/wire/responses/print.ts';
export {
  modelResponseSchema,
  responseEventSchema,
  responsesRequestSchema,
  type ModelResponse,
  type ResponseEvent,
  type ResponsesRequestBody,
} from './chat/wire/responses/schema.ts';
export {
  fromDetectRequest,
  type DetectCall,
  toDetectResponse,
  detectRequestSchema,
  detectResponseSchema,
  type DetectRequestBody,
  type DetectResponse,
} from './detection/wire/bodies.ts';
export {
  fromEmbeddingRequest,
  type EmbeddingCall,
  toEmbeddingResponse,
  type EmbeddingAnswerOptions,
  embeddingRequestSchema,
  embeddingResponseSchema,
  type EmbeddingRequestBody,
  type EmbeddingResponse,
} from './embedding/wire/bodies.ts';
export { fromSpeechRequest, type SpeechCall } from './speech/wire/from-request.ts';
export { toSpeechAnswer, toSpeechStreamEvents } from './speech/wire/to-answer.ts';
export {
  speechAnswerSchema,
  speechEventSchema,
  speechRequestSchema,
  type SpeechAnswer,
  type SpeechRequestBody,
  type SpeechStreamEvent,
} from './speech/wire/schema.ts';
export {
  fromTranscriptionRequest,
  fromTranslationRequest,
  type TranscriptionCall,
} from './transcription/wire/from-request.ts';
export {
  toTranscription,
  toVerboseTranscription,
  createTranscriptionStreamer,
} from './transcription/wire/to-response.ts';
export {
  transcriptionEventSchema,
  transcriptionRequestSchema,
  transcriptionSchema,
  translationRequestSchema,
  verboseTranscriptionSchema,
  type Transcription,
  type TranscriptionStreamEvent,
  type VerboseTranscription,
} from './transcription/wire/schema.ts';
export { toVoiceList, type VoiceList } from './speech/wire/voices.ts';
export { fromImageRequest, type ImageCall } from './image/wire/from-request.ts';
export { toImageResponse, toImageStreamEvent } from './image/wire/to-response.ts';
export {
  imageEventSchema,
  imageRequestSchema,
  imageResponseSchema,
  type ImageRequestBody,
} from './image/wire/schema.ts';
export {
  fromRerankRequest,
  type RerankCall,
  toRerankResponse,
  rerankRequestSchema,
  rerankResponseSchema,
  type RerankRequestBody,
  type RerankResponse,
} from './rerank/wire/bodies.ts';
