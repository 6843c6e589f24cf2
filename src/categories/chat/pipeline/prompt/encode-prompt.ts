import type { ChatMessage } from '../../../../core/chat/messages.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';
import { contextLengthError, type InferenceError } from '../../../../errors.ts';

/** Estimate; of a longer text only a part is encoded at first. */
const defaultCharactersPerToken = 4;
/** Tokens this far from a cut are the same as in the whole text. */
const reachOfCut = 128;

export interface PromptLimit {
  /** Size of the context; the prompt must leave room for one more token. */
  readonly contextLength: number;
  /** Default: an error about `messages`. @param tokens such as `9 tokens or more` */
  readonly refuse?: ((tokens: string) => InferenceError) | undefined;
}

export interface PromptOptions extends PromptLimit {
  /** Number of last tokens to keep; 0 keeps all, −1 as many as fit with `maxTokens`, or half of the context. Default 0. */
  readonly truncatePromptTokens?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** Yields after each part of bounded cost. */
export type EncodeSteps = (text: string) => Generator<void, readonly number[]>;

/** With `isFramed`, adds the tokenizer's special tokens. */
export function encoderOf(tokenizer: TextTokenizer, isFramed: boolean): EncodeSteps {
  const { before, after } = isFramed ? tokenizer.frame : { before: [], after: [] };
  return function* (text) {
    const ids = tokenizer.encodeSteps ? yield* tokenizer.encodeSteps(text) : tokenizer.encode(text);
    return isFramed ? [...before, ...ids, ...after] : ids;
  };
}

/** Encodes only a part of far too long conversations: callers control the length, and each character costs time. */
export function* encodePrompt(
  text: string,
  encode: EncodeSteps,
  options: PromptOptions,
): Generator<void, Int32Array> {
  const { contextLength, truncatePromptTokens: kept = 0, maxTokens = 1 } = options;
  const isCut = kept !== 0;
  const room = Math.max(contextLength - maxTokens, contextLength >> 1);
  const max = isCut ? Math.min(kept === -1 ? room : kept, contextLength) : contextLength;
  const enough = 2 * (isCut ? Math.max(max, reachOfCut) : max);
  for (let length = (enough / 2) * defaultCharactersPerToken; length < text.length; length *= 2) {
    // A cut changes some nearby tokens, never half of them.
    const part = yield* encode(isCut ? text.slice(-length) : text.slice(0, length));
    if (part.length < enough) continue;
    if (isCut) return checked(part.slice(-max), options);
    throw tooLong(`${contextLength + 1} tokens or more`, options);
  }
  const tokens = yield* encode(text);
  return checked(isCut ? tokens.slice(-max) : tokens, options);
}

function checked(tokens: readonly number[], limit: PromptLimit): Int32Array {
  if (tokens.length >= limit.contextLength) throw tooLong(`${tokens.length} tokens`, limit);
  return Int32Array.from(tokens);
}

/** Each message and call takes at least one token: reject too many without rendering. */
export function assertFewMessages(messages: readonly ChatMessage[], limit: PromptLimit): void {
  let parts = 0;
  for (const message of messages)
    parts += 1 + (message.role === 'assistant' ? (message.toolCalls?.length ?? 0) : 0);
  const { contextLength } = limit;
  if (parts > contextLength) throw tooLong(`${contextLength + 1} tokens or more`, limit);
}

function tooLong(
  tokens: string,
  { contextLength, refuse = refusal('messages', 'messages', contextLength) }: PromptLimit,
): InferenceError {
  return refuse(tokens);
}

/** @param noun names the prompt */
export function refusal(
  param: string,
  noun: string,
  contextLength: number,
): NonNullable<PromptLimit['refuse']> {
  return (tokens) =>
    contextLengthError(
      param,
      contextLength,
      `your ${noun} resulted in ${tokens}, and the answer needs at least one. Please reduce the length of the ${noun}`,
    );
}
