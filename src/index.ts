export {
  createInference,
  chat,
  detection,
  embedding,
  type DetectionOptions,
  type EmbeddingOptions,
  type InferenceOptions,
} from './inference.ts';
export { createHandler } from './server/handler.ts';
export type { HandlerOptions } from './server/options.ts';
export { InferenceError, type ErrorCode, type InferenceErrorOptions } from './errors.ts';
export type { ResponseFormat } from './core/chat/grammar/constraint.ts';
export type { ChatMessage, ToolCall, ToolChoice, ToolDefinition } from './core/chat/messages.ts';
export type { CallOptions, Inference, ModelLimits, ModelOptions, ModelStatus } from './engine/contract.ts';
export type {
  Category,
  ChatEvent,
  ChatUsage,
  Detection,
  DetectionResult,
  Device,
  EmbeddingResult,
  FinishReason,
  ModelInfo,
  TokenLogprob,
  TokenLogprobs,
} from './pipelines/contract.ts';
export type { ChatRequestInput } from './pipelines/chat-request.ts';
export type { DetectionRequestInput } from './pipelines/detection-request.ts';
export type { EmbeddingRequestInput } from './pipelines/embedding-request.ts';
export { catalogue, type CatalogueEntry } from './models/catalogue.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from './server/contract.ts';
