import { findInfillTokens } from '../../../../core/chat/fill-in-the-middle.ts';
import { fieldError, unsupportedError } from '../../../../errors.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';
import type { ChatRequest } from '../../request.ts';
import { encodePrompt, encoderOf } from './encode-prompt.ts';
import type { EncodeSteps, PromptLimit, PromptOptions } from './encode-prompt.ts';

type RawPrompt = ChatRequest['prompts'][number];

export interface EncodedPrompt {
  readonly text: string;
  readonly tokens: Int32Array;
  /** Number of special tokens before the text's tokens. */
  readonly before: number;
}

export interface PromptReader {
  readonly tokenizer: TextTokenizer;
  readonly vocabularySize: number;
  /** It adds special tokens to each prompt itself, like an encoder. */
  readonly framesPrompts: boolean;
}

export function* encodeRawPrompts(
  request: Omit<ChatRequest, 'messages'>,
  reader: PromptReader,
  limit: (place: string) => PromptLimit,
): Generator<void, EncodedPrompt[]> {
  const { prompts, suffix } = request;
  const all: EncodedPrompt[] = [];
  for (const [index, prompt] of prompts.entries()) {
    const place = `prompt[${index}]`;
    const options = { ...limit(place), ...request };
    const encoded =
      suffix === undefined
        ? yield* encodeWhole(prompt, request, reader, { place, ...options })
        : yield* encodeAround(prompt, suffix, reader, { place, ...options });
    if (encoded.tokens.length === 0 && request.stopAfter !== 'encoding')
      throw fieldError(place, 'expected at least one token');
    all.push(encoded);
    yield;
  }
  return all;
}

interface Place extends PromptOptions {
  readonly place: string;
}

function* encodeWhole(
  prompt: RawPrompt,
  { addSpecialTokens = true, stopAfter }: Pick<ChatRequest, 'addSpecialTokens' | 'stopAfter'>,
  reader: PromptReader,
  options: Place,
): Generator<void, EncodedPrompt> {
  const { tokenizer, framesPrompts } = reader;
  if (typeof prompt !== 'string') {
    assertTokens(prompt, reader, options.place);
    const tokens = yield* encodePrompt('', () => immediate([...prompt]), options);
    return { text: tokenizer.decode([...tokens]), tokens, before: 0 };
  }
  const isFramed = addSpecialTokens && (stopAfter === 'encoding' || !framesPrompts);
  const encode = encoderOf(tokenizer, isFramed);
  const tokens = yield* encodePrompt(prompt, encode, options);
  const isCut = (options.truncatePromptTokens ?? 0) !== 0;
  const before = isFramed && !isCut ? tokenizer.frame.before.length : 0;
  return { text: isCut ? tokenizer.decode([...tokens]) : prompt, tokens, before };
}

// eslint-disable-next-line require-yield
function* immediate(ids: readonly number[]): Generator<void, readonly number[]> {
  return ids;
}

/** Places prompt and suffix around the gap that the answer fills. */
function* encodeAround(
  prompt: RawPrompt,
  suffix: string,
  reader: PromptReader,
  options: Place,
): Generator<void, EncodedPrompt> {
  const { tokenizer } = reader;
  const tokens = findInfillTokens(tokenizer.tokenToId);
  if (!tokens) throw unsupportedError('suffix', 'the model has no fill-in-the-middle tokens');
  if (typeof prompt !== 'string') assertTokens(prompt, reader, options.place);
  const plain = encoderOf(tokenizer, false);
  const after = yield* encodePrompt(suffix, plain, options);
  const encode: EncodeSteps = function* (text) {
    const before = typeof prompt === 'string' ? yield* plain(text) : prompt;
    return [tokens.prefix, ...before, tokens.suffix, ...after, tokens.middle];
  };
  const text = typeof prompt === 'string' ? prompt : '';
  return { text, tokens: yield* encodePrompt(text, encode, options), before: 1 };
}

function assertTokens(tokens: readonly number[], { vocabularySize }: PromptReader, place: string): void {
  const index = tokens.findIndex((token) => token >= vocabularySize);
  if (index < 0) return;
  throw fieldError(`${place}[${index}]`, `expected a token id below ${vocabularySize}, got ${tokens[index]}`);
}
