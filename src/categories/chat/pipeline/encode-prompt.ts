import type { ChatMessage } from '../../../core/chat/messages.ts';
import { contextLengthError, type InferenceError } from '../../../errors.ts';
import type { TextTokenizer } from '../../../models/tokenizer.ts';

/** Of a text with more characters than this for each token that fits, only a beginning is encoded at first. */
const usualCharactersPerToken = 4;

/**
 * Encodes a rendered conversation. One that is far too long is refused without encoding all of it: that takes time for
 * every character, in which nothing else runs, and the caller chooses how many there are.
 *
 * @param contextLength tokens that the model holds; the prompt has to leave room for one more
 * @throws InferenceError `context_length_exceeded`
 */
export function encodePrompt(
  text: string,
  tokenizer: Pick<TextTokenizer, 'encode'>,
  contextLength: number,
): Int32Array {
  for (let length = contextLength * usualCharactersPerToken; length < text.length; length *= 2) {
    // The cut changes some tokens beside it, never half of them.
    if (tokenizer.encode(text.slice(0, length)).length >= 2 * contextLength) {
      throw tooLong(`${contextLength + 1} tokens or more`, contextLength);
    }
  }
  const prompt = Int32Array.from(tokenizer.encode(text));
  if (prompt.length >= contextLength) throw tooLong(`${prompt.length} tokens`, contextLength);
  return prompt;
}

/**
 * Refuses a conversation of more messages and calls than the model holds tokens, since each takes at least one: that
 * spares rendering them.
 *
 * @throws InferenceError `context_length_exceeded`
 */
export function assertFewMessages(messages: readonly ChatMessage[], contextLength: number): void {
  let parts = 0;
  for (const message of messages) {
    parts += 1 + (message.role === 'assistant' ? (message.toolCalls?.length ?? 0) : 0);
  }
  if (parts > contextLength) throw tooLong(`${contextLength + 1} tokens or more`, contextLength);
}

function tooLong(tokens: string, contextLength: number): InferenceError {
  return contextLengthError(
    'messages',
    contextLength,
    `your messages resulted in ${tokens}, and the answer needs at least one. Please reduce the length of the messages`,
  );
}
