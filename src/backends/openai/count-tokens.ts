import type { ChatRequest } from '../../categories/chat/request.ts';
import { estimatePrompt } from '../../core/chat/estimate-prompt.ts';
import { bytesPerToken, estimateTokens } from '../../core/text/estimate-tokens.ts';

/** Counts tokens that the server doesn't report. */
export interface TokenCounter {
  /** Tokens of a prompt, including the chat template's. */
  countPrompt(request: PromptRequest): Promise<number>;
  countText(text: string): Promise<number>;
  /** Tokens of a streamed answer. */
  countAnswer(answer: AnswerSize): number;
}

/** Total tokens of texts and of lists of token ids. */
export async function countAll(
  inputs: readonly (string | readonly number[])[],
  counter: Pick<TokenCounter, 'countText'>,
): Promise<number> {
  let tokens = 0;
  for (const input of inputs)
    tokens += typeof input === 'string' ? await counter.countText(input) : input.length;
  return tokens;
}

/** The part of a chat request that becomes its prompt. */
export type PromptRequest = Pick<ChatRequest, 'messages' | 'tools' | 'toolChoice'>;

/** An answer so far. */
export interface AnswerSize {
  /** Without empty ones. */
  readonly pieces: number;
  /** Of all chunks, as UTF-8. */
  readonly bytes: number;
  /** The last chunk. */
  readonly text: string;
  /** Tokens of all chunks before the last. */
  readonly tokens: number;
}

/** Estimates tokens from bytes: one per 4 bytes, and at least one per chunk of an answer. */
export const byteCounter: TokenCounter = {
  countPrompt: async ({ messages, tools, toolChoice }) =>
    estimatePrompt(messages, toolChoice === 'none' ? [] : tools),
  countText: async (text) => estimateTokens(text),
  countAnswer: ({ pieces, bytes }) => Math.max(pieces, Math.ceil(bytes / bytesPerToken)),
};
