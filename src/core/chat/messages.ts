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

/** One message of a conversation. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string; readonly name?: string | undefined }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly reasoningContent?: string | undefined;
      readonly toolCalls?: readonly ToolCall[] | undefined;
    }
  | {
      readonly role: 'tool';
      readonly content: string;
      readonly toolCallId: string;
      readonly name?: string | undefined;
    };
