export { createInference, chat, type InferenceOptions } from './inference.ts';
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
  Device,
  FinishReason,
  ModelInfo,
  TokenLogprob,
  TokenLogprobs,
} from './pipelines/contract.ts';
export type { ChatRequestInput } from './pipelines/chat-request.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from './server/contract.ts';
