export {
  createInference,
  chat,
  detection,
  embedding,
  image,
  speech,
  transcription,
  type DetectionOptions,
  type EmbeddingOptions,
  type ImageOptions,
  type InferenceOptions,
  type SpeechOptions,
  type TranscriptionOptions,
} from './inference.ts';
export { createHandler } from './server/handler.ts';
export type { HandlerOptions } from './server/options.ts';
export { InferenceError, type ErrorCode, type InferenceErrorOptions } from './errors.ts';
export type { ResponseFormat } from './core/chat/grammar/constraint.ts';
export type { ChatMessage, ToolCall, ToolChoice, ToolDefinition } from './core/chat/messages.ts';
export type { CallOptions, Inference, ModelLimits, ModelOptions, ModelStatus } from './engine/contract.ts';
export type {
  InferenceObserver,
  ObservedModel,
  ObservedRun,
  RunEnd,
  RunOrigin,
  RunUsage,
  WorkerLoss,
} from './engine/observer.ts';
export type { Logger } from './observability/logger.ts';
export type { ObservedRequest, Observer, RequestEnd, RequestObserver } from './server/observer.ts';
export type {
  AudioSource,
  Category,
  ChatEvent,
  ChatUsage,
  Detection,
  DetectionResult,
  Device,
  EmbeddingResult,
  FinishReason,
  ImageEvent,
  ModelInfo,
  SpeechEvent,
  TokenLogprob,
  TokenLogprobs,
  TranscriptionEvent,
  TranscriptionSegment,
  TranscriptionWord,
  Voice,
} from './categories/contract.ts';
export type { ChatRequestInput } from './categories/chat/request.ts';
export type { DetectionRequestInput } from './categories/detection/request.ts';
export type { EmbeddingRequestInput } from './categories/embedding/request.ts';
export type { ImageRequestInput } from './categories/image/request.ts';
export type { SpeechRequestInput } from './categories/speech/request.ts';
export type { TranscriptionRequestInput } from './categories/transcription/request.ts';
export {
  remote,
  type ApiDialect,
  type ApiServer,
  type GraphServer,
  type RemoteServer,
} from './backends/openai/servers.ts';
export { collectTranscription, type TranscriptionResult } from './categories/transcription/result.ts';
export { catalogue, type CatalogueEntry } from './models/catalogue.ts';
export type { Dtype } from './models/graph-files.ts';
export {
  obtainModel,
  type ModelRequest,
  type ObtainedModel,
  type ObtainOptions,
} from './models/hub/obtain-model.ts';
export type { DownloadProgress } from './models/hub/progress.ts';
export type { HubOptions } from './models/hub/settings.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from './server/contract.ts';
