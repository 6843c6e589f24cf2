import type { SpanAttributes } from '../contracts/telemetry.ts';

/** As in the GenAI semantic conventions. */
export type MessagePart =
  | { readonly type: 'text' | 'reasoning'; content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: unknown };

/** As in the GenAI semantic conventions. */
export interface SpanMessage {
  readonly role: string;
  readonly name?: string | undefined;
  readonly parts: readonly MessagePart[];
}

export function writtenByUser(content: string): SpanAttributes {
  const message: SpanMessage = { role: 'user', parts: [{ type: 'text', content }] };
  return { 'gen_ai.input.messages': JSON.stringify([message]) };
}
