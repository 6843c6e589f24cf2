import { estimateTokens } from '../text/estimate-tokens.ts';
import {
  contentText,
  picturesOf,
  type ChatMessage,
  type MessageContent,
  type ToolDefinition,
} from './messages.ts';

/** Markers of roles and ends that templates write around a message. */
const tokensPerMessage = 4;
const tokensPerPicture = 256;

type Messages = readonly ChatMessage<MessageContent>[];

/** Tokens of a conversation, estimated from the bytes of its texts: 4 more for each message, 256 for each picture. */
export function estimatePrompt(messages: Messages, tools: readonly ToolDefinition[]): number {
  const told = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return estimateTokens(conversationText(messages)) + told + frameTokens(messages);
}

/** Estimated tokens of a conversation without its texts. */
export function frameTokens(messages: Messages): number {
  return tokensPerMessage * messages.length + tokensPerPicture * picturesOf(messages).length;
}

export function conversationText(messages: Messages): string {
  return messages
    .map((message) => {
      const said = message.content === null ? '' : contentText(message.content);
      if (message.role !== 'assistant') return said;
      const calls = message.toolCalls?.map(({ name, arguments: given }) => name + given) ?? [];
      return [said, message.reasoningContent ?? '', ...calls].join('\n');
    })
    .join('\n');
}
