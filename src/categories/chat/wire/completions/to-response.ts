import type { ChatEvent, ChatUsage, PromptTokenLogprobs, TokenLogprob } from '../../events.ts';
import { createChunkUsage, type ChunkUsageOptions } from '../chunk-usage.ts';
import { toWireHead, toWireLogprob, toWireUsage, type AnswerHead } from '../to-response.ts';
import type { Completion, CompletionLogprobs } from './schema.ts';

/** Counts the characters of a text by its tokens. */
interface TextOffsets {
  /** The next tokens are no part of the text. */
  hide(count: number): void;
  /** @returns the code points of the text before a token of these bytes, which comes next */
  next(bytes: readonly number[]): number;
}

/** Bytes of UTF-8 that go on with a character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Makes a counter for one text. A character that several tokens make up begins with the first of them. */
export function createTextOffsets(): TextOffsets {
  let hidden = 0;
  let characters = 0;
  return {
    hide(count) {
      hidden = count;
    },
    next(bytes) {
      const offset = characters;
      if (hidden > 0) hidden--;
      else for (const byte of bytes) if (!isContinuation(byte)) characters++;
      return offset;
    },
  };
}

type WireChoice = Completion['choices'][number];

/** The part of the request that says how its completions are written. */
export interface CompletionOptions {
  readonly n: number;
  readonly logprobs: boolean;
}

interface Choice {
  readonly offsets: TextOffsets;
  /** Text of the prompt that goes with its next text. */
  heldText: string;
  /** Log probabilities that go with its next text. */
  held: CompletionLogprobs | undefined;
}

/**
 * Makes the function that turns the events of a request, in order, into pieces of its choices. A choice's last piece has its
 * `finish_reason`.
 */
function createCompletionPieces({ n }: Pick<CompletionOptions, 'n'>): (event: ChatEvent) => WireChoice[] {
  const choices: Choice[] = [];
  const choiceAt = (index: number): Choice =>
    (choices[index] ??= { offsets: createTextOffsets(), heldText: '', held: undefined });

  const piece = (index: number, text: string): WireChoice => {
    const choice = choiceAt(index);
    const { held, heldText } = choice;
    choice.held = undefined;
    choice.heldText = '';
    return {
      index,
      text: heldText + text,
      logprobs: held ?? null,
      finish_reason: null,
    };
  };
  const hold = (index: number, tokens: readonly PromptTokenLogprobs[]): void => {
    const choice = choiceAt(index);
    const held = (choice.held ??= emptyLogprobs());
    for (const token of tokens) addToken(held, token, choice.offsets);
  };
  const ofPrompt = (prompt: number): number[] => Array.from({ length: n }, (_, index) => prompt * n + index);
  return (event) => {
    switch (event.type) {
      case 'prompt':
        for (const choice of ofPrompt(event.prompt).map(choiceAt)) {
          choice.offsets.hide(event.before);
          choice.heldText = event.text;
        }
        return [];
      case 'prompt-logprobs':
        for (const index of ofPrompt(event.prompt)) hold(index, event.tokens);
        return [];
      case 'logprobs':
        hold(event.choice, event.tokens);
        return [];
      case 'text-delta':
        return [piece(event.choice, event.text)];
      case 'choice-end': {
        const finish_reason = event.finishReason === 'length' ? 'length' : 'stop';
        return [{ ...piece(event.choice, ''), finish_reason }];
      }
      default:
        return [];
    }
  };
}

/** All events of a request → the body of its answer. */
export function toCompletion(
  events: Iterable<ChatEvent>,
  head: AnswerHead,
  options: CompletionOptions,
): Completion {
  const push = createCompletionPieces(options);
  const choices: WireChoice[] = [];
  let usage: ChatUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  for (const event of events) {
    if (event.type === 'usage') usage = event;
    for (const piece of push(event)) {
      const choice = (choices[piece.index] ??= {
        ...piece,
        text: '',
        logprobs: options.logprobs ? emptyLogprobs() : null,
      });
      choice.text += piece.text;
      choice.finish_reason = piece.finish_reason;
      if (choice.logprobs && piece.logprobs) append(choice.logprobs, piece.logprobs);
    }
  }
  return { ...toWireHead(head), object: 'text_completion', choices, usage: toWireUsage(usage) };
}

/** Makes the function that turns the events of a request, in order, into the chunks of its stream. */
export function createCompletionChunker(
  head: AnswerHead,
  options: CompletionOptions,
  delivery: ChunkUsageOptions,
): (event: ChatEvent) => Completion[] {
  const push = createCompletionPieces(options);
  const usage = createChunkUsage(delivery);
  const toChunk = (choices: WireChoice[]): Completion => ({
    ...toWireHead(head),
    object: 'text_completion',
    choices,
    ...usage.of(choices[0]?.index),
  });
  return (event) => {
    usage.read(event);
    if (event.type === 'usage')
      return delivery.includeUsage ? [{ ...toChunk([]), usage: toWireUsage(event) }] : [];
    return push(event).map((piece) => toChunk([piece]));
  };
}

function emptyLogprobs(): CompletionLogprobs {
  return { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
}

function append(to: CompletionLogprobs, from: CompletionLogprobs): void {
  for (const token of from.tokens) to.tokens.push(token);
  for (const logprob of from.token_logprobs) to.token_logprobs.push(logprob);
  for (const top of from.top_logprobs) to.top_logprobs.push(top);
  for (const offset of from.text_offset) to.text_offset.push(offset);
}

function addToken(to: CompletionLogprobs, given: PromptTokenLogprobs, offsets: TextOffsets): void {
  const { token, logprob, bytes, topLogprobs } = given;
  to.tokens.push(token);
  to.text_offset.push(offsets.next(bytes));
  if (logprob === null) {
    to.token_logprobs.push(null);
    to.top_logprobs.push(null);
    return;
  }
  const own = toWireLogprob({ token, logprob, bytes });
  to.token_logprobs.push(own.logprob);
  to.top_logprobs.push(byText([...topLogprobs.map(toWireLogprob), own]));
}

/** Several tokens may have the same text, as parts of characters have: the likeliest stands for them. */
function byText(tokens: readonly Pick<TokenLogprob, 'token' | 'logprob'>[]): Record<string, number> {
  const best = new Map<string, number>();
  for (const { token, logprob } of tokens) best.set(token, Math.max(logprob, best.get(token) ?? -Infinity));
  return Object.fromEntries(best);
}
