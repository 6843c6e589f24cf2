export type { ChatMessage, ToolCall, ToolDefinition } from '../core/chat/messages.ts';
export {
  createAnswerParser,
  type AnswerEnd,
  type AnswerEvent,
  type AnswerParser,
  type AnswerParserOptions,
} from '../core/chat/answer-parser.ts';
export {
  createReasoningSplitter,
  type ReasoningMarkers,
  type ReasoningPart,
  type ReasoningSplitter,
} from '../core/chat/reasoning.ts';
export { mostFittingTool } from '../core/chat/tool-selection.ts';
export { createHermesToolCallParser } from '../core/chat/tool-calls/hermes.ts';
export { createJsonCallReader, type JsonCallReader } from '../core/chat/tool-calls/json-call.ts';
export type {
  ToolCallParser,
  ToolCallParserEvent,
  ToolCallParserFlushOptions,
} from '../core/chat/tool-calls/parser.ts';
