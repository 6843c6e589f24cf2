import { createHash } from 'node:crypto';
import type { ChatMessage, ToolCall } from '../core/chat/messages.ts';

/** The form of call ids that a template requires; `undefined` if it takes any. */
export function callIdsOf(
  source: string,
): ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined {
  // Mistral's templates raise an exception for ids of a different length.
  if (/\|\s*length\s*!=\s*9\b/.test(source))
    return (messages) => withCallIds(messages, ({ id }) => toShortId(id));
  return undefined;
}

/** Ids with the function's name and the call's number, as Kimi K2 writes them. */
export function toNamedIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let count = 0;
  return withCallIds(messages, ({ id, name }) => {
    const number = count++;
    return id.startsWith(`functions.${name}:`) ? id : `functions.${name}:${number}`;
  });
}

/** Replaces the id of every call and of its result. */
function withCallIds(
  messages: readonly ChatMessage[],
  toId: (call: ToolCall) => string,
): readonly ChatMessage[] {
  const ids = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'tool') {
      const { toolCallId } = message;
      return {
        ...message,
        toolCallId: ids.get(toolCallId) ?? toId({ id: toolCallId, name: message.name ?? '', arguments: '' }),
      };
    }
    if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
    const toolCalls = message.toolCalls.map((call) => {
      const id = toId(call);
      ids.set(call.id, id);
      return { ...call, id };
    });
    return { ...message, toolCalls };
  });
}

/** Deterministic nine letters and digits, so that a conversation's prompts share their prefix. */
function toShortId(id: string): string {
  if (/^[A-Za-z\d]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-9);
}
