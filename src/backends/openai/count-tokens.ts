import type { ChatRequest } from '../../categories/chat/request.ts';
import { estimatePrompt } from '../../core/chat/estimate-prompt.ts';
import { bytesPerToken, estimateTokens } from '../../core/text/estimate-tokens.ts';

/** Counts tokens that the server doesn't report. */
export interface TokenCounter {
  /** Tokens of a prompt, the chat template's included. */
  countPrompt(request: PromptRequest): Promise<number>;
  /** Tokens of a text. */
  countText(text: string): Promise<number>;
  /** Tokens of an answer that came in so many pieces. */
  countAnswer(answer: AnswerSize): number;
}

/** Tokens of texts and of lists of token ids together. */
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
  /** Not empty. */
  readonly pieces: number;
  /** All pieces, as UTF-8. */
  readonly bytes: number;
  /** The last piece. */
  readonly text: string;
  /** Tokens of the pieces before the last. */
  readonly tokens: number;
}

/** Estimates tokens from bytes: one for each 4, and one at least for each piece of an answer. */
export const byteCounter: TokenCounter = {
  countPrompt: async ({ messages, tools, toolChoice }) =>
    estimatePrompt(messages, toolChoice === 'none' ? [] : tools),
  countText: async (text) => estimateTokens(text),
  countAnswer: ({ pieces, bytes }) => Math.max(pieces, Math.ceil(bytes / bytesPerToken)),
};
