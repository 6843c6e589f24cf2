import { findInfillTokens } from '../../../../core/chat/fill-in-the-middle.ts';
import { fieldError } from '../../../../errors.ts';
import type { TextTokenizer } from '../../../../folder/tokenizer.ts';
import type { ChatRequest } from '../../request.ts';
import { encodePrompt, type PromptLimit, type PromptOptions } from './encode-prompt.ts';

type RawPrompt = ChatRequest['prompts'][number];

/** A prompt as the model reads it. */
export interface EncodedPrompt {
  readonly text: string;
  readonly tokens: Int32Array;
  /** Number of special tokens before those of the text. */
  readonly before: number;
}

/** The model that reads raw prompts. */
export interface PromptReader {
  readonly tokenizer: TextTokenizer;
  /** Tokens that it knows. */
  readonly vocabularySize: number;
  /** Whether it puts special tokens around each prompt itself, as an encoder does. */
  readonly framesPrompts: boolean;
}

/** Encodes the prompts of a request that has no messages. */
export function encodeRawPrompts(
  request: Omit<ChatRequest, 'messages'>,
  reader: PromptReader,
  limit: (place: string) => PromptLimit,
): EncodedPrompt[] {
  const { prompts, suffix } = request;
  return prompts.map((prompt, index) => {
    const place = `prompt[${index}]`;
    const options = { ...limit(place), ...request };
    const encoded =
      suffix === undefined
        ? encodeWhole(prompt, request, reader, { place, ...options })
        : encodeAround(prompt, suffix, reader, { place, ...options });
    if (encoded.tokens.length === 0 && request.stopAfter !== 'encoding')
      throw fieldError(place, 'expected at least one token');
    return encoded;
  });
}

interface Place extends PromptOptions {
  readonly place: string;
}

function encodeWhole(
  prompt: RawPrompt,
  { addSpecialTokens = true, stopAfter }: Pick<ChatRequest, 'addSpecialTokens' | 'stopAfter'>,
  reader: PromptReader,
  options: Place,
): EncodedPrompt {
  const { tokenizer, framesPrompts } = reader;
  if (typeof prompt !== 'string') {
    assertTokens(prompt, reader, options.place);
    const tokens = encodePrompt('', { encode: () => [...prompt] }, options);
    return { text: tokenizer.decode([...tokens]), tokens, before: 0 };
  }
  const isFramed = addSpecialTokens && (stopAfter === 'encoding' || !framesPrompts);
  const encode = isFramed ? framed(tokenizer) : tokenizer.encode;
  const tokens = encodePrompt(prompt, { encode }, options);
  const isCut = (options.truncatePromptTokens ?? 0) !== 0;
  const before = isFramed && !isCut ? tokenizer.frame.before.length : 0;
  return { text: isCut ? tokenizer.decode([...tokens]) : prompt, tokens, before };
}

/** Encodes texts with the special tokens that a tokenizer puts around them. */
export function framed({ encode, frame }: TextTokenizer): (text: string) => number[] {
  return (text) => [...frame.before, ...encode(text), ...frame.after];
}

/** The prompt and the suffix around the gap that the answer fills. */
function encodeAround(
  prompt: RawPrompt,
  suffix: string,
  reader: PromptReader,
  options: Place,
): EncodedPrompt {
  const { tokenizer } = reader;
  const tokens = findInfillTokens(tokenizer.tokenToId);
  if (!tokens)
    throw fieldError('suffix', 'the model has no fill-in-the-middle tokens', { code: 'unsupported_feature' });
  if (typeof prompt !== 'string') assertTokens(prompt, reader, options.place);
  const after = encodePrompt(suffix, tokenizer, options);
  const encode = (text: string): number[] => [
    tokens.prefix,
    ...(typeof prompt === 'string' ? tokenizer.encode(text) : prompt),
    tokens.suffix,
    ...after,
    tokens.middle,
  ];
  const text = typeof prompt === 'string' ? prompt : '';
  return { text, tokens: encodePrompt(text, { encode }, options), before: 1 };
}

function assertTokens(tokens: readonly number[], { vocabularySize }: PromptReader, place: string): void {
  const index = tokens.findIndex((token) => token >= vocabularySize);
  if (index < 0) return;
  throw fieldError(`${place}[${index}]`, `expected a token id below ${vocabularySize}, got ${tokens[index]}`);
}
