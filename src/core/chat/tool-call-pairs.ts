import { quote } from '../text/quote.ts';
import type { ChatMessage } from './messages.ts';

/** A message that breaks the order of calls and results. */
export interface ToolCallMismatch {
  /** The field at fault: `messages[3].tool_call_id`. */
  readonly param: string;
  readonly reason: string;
}

/**
 * Looks for a tool call without a result, or a result without a call: the results have to follow the assistant's message at
 * once, one for each of its calls, in any order.
 */
export function findToolCallMismatch(
  messages: readonly ChatMessage<unknown>[],
): ToolCallMismatch | undefined {
  /** Calls that wait for their result, with their places. */
  const waiting = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    if (message.role === 'tool') {
      const { toolCallId } = message;
      if (!waiting.delete(toolCallId)) {
        const reason = `expected the id of a call before it, got ${quote(toolCallId)}`;
        return { param: `${place}.tool_call_id`, reason };
      }
      continue;
    }
    if (waiting.size > 0) break;
    if (message.role !== 'assistant') continue;
    for (const [call, { id }] of (message.toolCalls ?? []).entries()) {
      const param = `${place}.tool_calls[${call}].id`;
      if (waiting.has(id)) return { param, reason: `expected every id once, got ${quote(id)} again` };
      waiting.set(id, param);
    }
  }
  const [unanswered] = waiting;
  if (!unanswered) return undefined;
  const [id, param] = unanswered;
  return { param, reason: `expected a tool message with the result of ${quote(id)} after it` };
}
