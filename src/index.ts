export { createInference, type Inference, type InferenceOptions } from './inference.ts';
export { voice, type VoiceModel, type VoiceOptions } from './realtime/agent/voice.ts';
export type { Talk, TalkOptions } from './realtime/agent/talk.ts';
export { createHandler } from './create-handler.ts';
export type { HandlerOptions } from './server/options.ts';
export { InferenceError, type ErrorCode, type InferenceErrorOptions } from './errors.ts';
export type { ResponseFormat } from './core/grammar/constraint.ts';
export type {
  ChatMessage,
  ContentPart,
  MessageContent,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from './core/chat/messages.ts';
export * from './categories/exports.ts';
export type { CallOptions, RunOrigin, RunUsage } from './contracts/run.ts';
export type { ModelLimits, ModelOptions, HubOptions } from './contracts/model.ts';
export type { AnyModelInfo as ModelInfo, AnyModelOptions, Category } from './categories/registry.ts';
export type { Device } from './core/device.ts';
export type { ModelStatus } from './contracts/model.ts';
export type { ObservedModel, RunEnd, WorkerLoss } from './contracts/observer.ts';
export type { Logger } from './observability/logger.ts';
export type { ObservedRequest, RequestEnd, RequestObserver } from './contracts/observer.ts';
export type { InferenceObserver, ObservedRun, Observer } from './typed-observers.ts';
export { onnx, type OnnxBackend } from './backends/onnx/backend.ts';
export { type AnyBackend, remote } from './backends/registry.ts';
export type { ApiDialect, ApiServer } from './backends/openai/server.ts';
export type { GraphServer } from './backends/kserve/server.ts';
export { catalogue, type CatalogueEntry } from './folder/catalogue.ts';
export type { Dtype } from './contracts/files.ts';
export { obtainModel, type ModelRequest, type ObtainOptions } from './loading/files.ts';
export type { ObtainedModel } from './hub/obtain-files.ts';
export type { DownloadProgress } from './hub/progress.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from './contracts/http.ts';
