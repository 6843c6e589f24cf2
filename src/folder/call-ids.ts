import { createHash } from 'node:crypto';
import type { ChatMessage, ToolCall } from '../core/chat/messages.ts';

/** Gives calls the ids that a template needs; `undefined` where it takes any. */
export function callIdsOf(
  source: string,
): ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined {
  // Mistral's templates raise an exception for ids of another length.
  if (/\|\s*length\s*!=\s*9\b/.test(source))
    return (messages) => withCallIds(messages, ({ id }) => toShortId(id));
  return undefined;
}

/** Ids that hold the name of the function and the number of the call, as Kimi K2 writes them. */
export function toNamedIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let count = 0;
  return withCallIds(messages, ({ id, name }) => {
    const number = count++;
    return id.startsWith(`functions.${name}:`) ? id : `functions.${name}:${number}`;
  });
}

/** Gives every call another id, and its result the same. */
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

/** The same nine letters and digits for the same id, so that a conversation's prompt only ever grows. */
function toShortId(id: string): string {
  if (/^[A-Za-z\d]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-9);
}
