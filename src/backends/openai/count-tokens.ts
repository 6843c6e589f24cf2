import type { ChatRequest } from '../../categories/chat/request.ts';
import { contentText } from '../../core/chat/messages.ts';

/** Counts tokens where the server that has them doesn't tell. */
export interface TokenCounter {
  /** Tokens of a prompt, the chat template's included. */
  countPrompt(request: PromptRequest): Promise<number>;
  /** Tokens of a text. */
  countText(text: string): Promise<number>;
  /** Tokens of an answer that came in so many pieces. */
  countAnswer(answer: AnswerSize): number;
}

/** The part of a chat request that becomes its prompt. */
export type PromptRequest = Pick<ChatRequest, 'messages' | 'tools' | 'toolChoice'>;

/** An answer so far. */
export interface AnswerSize {
  /** Not empty. */
  readonly pieces: number;
  /** As UTF-8. */
  readonly bytes: number;
  /** Its last piece. */
  readonly text: string;
  /** Tokens of the pieces before the last. */
  readonly tokens: number;
}

/** As English text has it with the vocabularies in use. */
const bytesPerToken = 4;
/** Markers of roles and ends that templates write around a message. */
const tokensPerMessage = 4;
const tokensPerPicture = 256;

/** Estimates tokens from bytes: one for each 4, and one at least for each piece of an answer. */
export const byteCounter: TokenCounter = {
  async countPrompt({ messages, tools, toolChoice }) {
    const written = toolChoice === 'none' ? [] : tools;
    return estimate(textOf(messages)) + estimate(written) + extrasOf(messages);
  },
  countText: async (text) => estimate(text),
  countAnswer: ({ pieces, bytes }) => Math.max(pieces, Math.ceil(bytes / bytesPerToken)),
};

function estimate(value: unknown): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '[]' ? 0 : Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Tokens of a conversation that aren't text. */
export function extrasOf(messages: PromptRequest['messages']): number {
  const pictures = messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as readonly { type: string }[]) : []))
    .filter(({ type }) => type !== 'text').length;
  return tokensPerMessage * messages.length + tokensPerPicture * pictures;
}

/** The texts of a conversation, calls included. */
export function textOf(messages: PromptRequest['messages']): string {
  return messages
    .map((message) => {
      const said = message.content === null ? '' : contentText(message.content);
      if (message.role !== 'assistant') return said;
      const calls = message.toolCalls?.map(({ name, arguments: given }) => name + given) ?? [];
      return [said, message.reasoningContent ?? '', ...calls].join('\n');
    })
    .join('\n');
}
