/** A function that the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments object. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /**
   * `parameters` as JSON, where its digits and the order of its keys count: objects of JavaScript keep neither integers beyond
   * 2^53, nor `1.0`, nor the place of a key like `"2"`.
   */
  readonly parametersText?: string | undefined;
  /** Whether arguments must follow the schema; a schema that can't be guaranteed is refused. */
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

/** Text within a message. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** A picture within a message. */
export interface ImagePart {
  readonly type: 'image';
  /** An http or https URL, a `data:` URL, base64, or the bytes of a file. */
  readonly image: string | Uint8Array;
  /** `low` shrinks the picture to 512 pixels a side before the model's own resizing; default as it is. */
  readonly detail?: ImageDetail | undefined;
}

/** Detail at which a picture is read. */
export type ImageDetail = 'auto' | 'low' | 'high';

/** A part of a message. */
export type ContentPart = TextPart | ImagePart;

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

/** The text of a message's content; parts are separated by line breaks, pictures are dropped. */
export function contentText(content: MessageContent): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * Marks a picture in a content that is one text, from the request to the chat template. It has characters to which Unicode gives
 * no meaning.
 */
export const pictureMark = '\u{FDD0}picture\u{FDD1}';

/** The same message with its content as one text, with a `pictureMark` for each picture; texts are separated by a line break. */
export function toTextMessage(message: ChatMessage<MessageContent>): ChatMessage {
  const { content } = message;
  if (content === null || typeof content === 'string') return { ...message, content } as ChatMessage;
  const texts = content.map((part, index) => {
    if (part.type === 'image') return pictureMark;
    return content[index - 1]?.type === 'text' ? `\n${part.text}` : part.text;
  });
  return { ...message, content: texts.join('') };
}

/** The parts of a text with `pictureMark`s, as chat templates take them. */
export function splitAtPictures(text: string): readonly ({ readonly type: 'image' } | TextPart)[] {
  const texts = text.split(pictureMark).map((piece) => ({ type: 'text', text: piece }) as const);
  const parts = texts.flatMap((part) => [{ type: 'image' } as const, part]).slice(1);
  return parts.filter((part) => part.type === 'image' || part.text !== '');
}

/** A picture of a conversation, and its place. */
export interface PlacedPicture extends Omit<ImagePart, 'type'> {
  /** Place, such as `messages[0].content[1]`. */
  readonly place: string;
}

/** The pictures of a conversation in their order. */
export function picturesOf(messages: readonly ChatMessage<MessageContent>[]): readonly PlacedPicture[] {
  const pictures: PlacedPicture[] = [];
  for (const [message, { content }] of messages.entries()) {
    if (content === null || typeof content === 'string') continue;
    for (const [index, part] of content.entries())
      if (part.type === 'image') pictures.push({ ...part, place: `messages[${message}].content[${index}]` });
  }
  return pictures;
}
