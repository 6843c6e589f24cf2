export type { ChatMessage, ToolCall, ToolDefinition } from '../core/chat/messages.ts';
export {
  createAnswerParser,
  type AnswerEnd,
  type AnswerEvent,
  type AnswerParser,
  type AnswerParserOptions,
} from '../core/chat/answer-parser.ts';
export { detectFormats, toolCallFormats, type FormatQuery, type ModelFormats } from '../core/chat/formats.ts';
export { reasoningFormats } from '../core/chat/reasoning-formats.ts';
export {
  createReasoningSplitter,
  type CallsInReasoning,
  type FrameMarkers,
  type ReasoningFormat,
  type ReasoningMarkers,
  type ReasoningPart,
  type ReasoningSplitter,
} from '../core/chat/reasoning.ts';
export { createHarmonySplitter } from '../core/chat/reasoning-harmony.ts';
export type { FlushOptions, PieceReader } from '../core/chat/text-input.ts';
export type {
  CallNotation,
  Edge,
  ItemsNotation,
  JsonNotation,
  ValueStyle,
} from '../core/chat/tool-calls/notation.ts';
export type { RenderTurns } from '../core/chat/tool-calls/template-turn.ts';
export { bestFittingTool } from '../core/chat/tool-selection.ts';
export type { CallFrame, ToolCallConstraint } from '../core/chat/tool-calls/constraint.ts';
export type { ModelTraits, ToolCallFacts, ToolCallFormat } from '../core/chat/tool-calls/format.ts';
export type {
  ToolCallParser,
  ToolCallParserEvent,
  ToolCallParserOptions,
} from '../core/chat/tool-calls/parser.ts';
