/** A function that the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments object. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Whether arguments have to follow the schema: one that can't be guaranteed is then refused. */
  readonly strict?: boolean | undefined;
}

/** Whether and what to call: `required` is at least one call, a name a call of that tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** A call of a function by the model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments object, as the model wrote it. */
  readonly arguments: string;
}

/** A part of a message. */
export interface ContentPart {
  readonly type: 'text';
  readonly text: string;
}

/** A text, or parts in their order. */
export type MessageContent = string | readonly ContentPart[];

/** One message of a conversation. */
export type ChatMessage<Content = string> =
  | { readonly role: 'system' | 'user'; readonly content: Content; readonly name?: string | undefined }
  | {
      readonly role: 'assistant';
      readonly content: Content | null;
      readonly reasoningContent?: string | undefined;
      readonly toolCalls?: readonly ToolCall[] | undefined;
    }
  | {
      readonly role: 'tool';
      readonly content: Content;
      readonly toolCallId: string;
      readonly name?: string | undefined;
    };

/**
 * The text of a message's content; parts are separated by line breaks.
 *
 * @example
 * ```ts
 * contentText([{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }]); // 'a\nb'
 * ```
 */
export function contentText(content: MessageContent): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

/** The same message for a model that reads text alone. */
export function toTextMessage(message: ChatMessage<MessageContent>): ChatMessage {
  if (message.role === 'assistant' && message.content === null) return { ...message, content: null };
  return { ...message, content: contentText(message.content!) } as ChatMessage;
}
