import type { ChatEvent, ChatUsage, PromptTokenLogprobs, TokenLogprob } from '../../events.ts';
import { createChunkWriter, type ChunkUsageOptions } from '../chat/print-chunks.ts';
import { toWireHead, toWireLogprob, toWireUsage, type AnswerHead } from '../chat/print.ts';
import type { Completion, CompletionLogprobs } from './schema.ts';

/** A character split over several tokens counts at its first token. */
export function createTextOffsets() {
  let hidden = 0;
  let characters = 0;
  return {
    hide(count: number): void {
      hidden = count;
    },
    /** @returns code points before the next token */
    next(bytes: readonly number[]): number {
      const offset = characters;
      if (hidden > 0) hidden--;
      // UTF-8 continuation bytes start no character.
      else for (const byte of bytes) if ((byte & 0xc0) !== 0x80) characters++;
      return offset;
    },
  };
}

type WireChoice = Completion['choices'][number];

export interface CompletionOptions {
  readonly n: number;
  readonly logprobs: boolean;
}

interface Choice {
  readonly offsets: ReturnType<typeof createTextOffsets>;
  heldText: string;
  held: CompletionLogprobs | undefined;
}

/** The last piece of a choice has its `finish_reason`; with `isWhole` it is the only piece. */
function createCompletionPieces(
  { n }: Pick<CompletionOptions, 'n'>,
  isWhole = false,
): (event: ChatEvent) => WireChoice[] {
  const choices: Choice[] = [];
  const choiceAt = (index: number): Choice =>
    (choices[index] ??= { offsets: createTextOffsets(), heldText: '', held: undefined });

  const piece = (index: number, finish_reason: WireChoice['finish_reason'] = null): WireChoice => {
    const choice = choiceAt(index);
    const { held = null, heldText } = choice;
    choice.held = undefined;
    choice.heldText = '';
    return { index, text: heldText, logprobs: held, finish_reason };
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
        choiceAt(event.choice).heldText += event.text;
        return isWhole ? [] : [piece(event.choice)];
      case 'choice-end':
        return [piece(event.choice, event.finishReason === 'length' ? 'length' : 'stop')];
      default:
        return [];
    }
  };
}

export function toCompletion(
  events: Iterable<ChatEvent>,
  head: AnswerHead,
  options: CompletionOptions,
): Completion {
  const push = createCompletionPieces(options, true);
  const choices: WireChoice[] = [];
  let usage: ChatUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  for (const event of events) {
    if (event.type === 'usage') usage = event;
    for (const piece of push(event)) {
      const logprobs = options.logprobs ? (piece.logprobs ?? emptyLogprobs()) : null;
      choices[piece.index] = { ...piece, logprobs };
    }
  }
  return { ...toWireHead(head), object: 'text_completion', choices, usage: toWireUsage(usage) };
}

export function createCompletionChunker(
  head: AnswerHead,
  options: CompletionOptions,
  delivery: ChunkUsageOptions,
): (event: ChatEvent) => Completion[] {
  const wireHead = { ...toWireHead(head), object: 'text_completion' as const };
  return createChunkWriter(wireHead, delivery, createCompletionPieces(options));
}

function emptyLogprobs(): CompletionLogprobs {
  return { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
}

function addToken(to: CompletionLogprobs, given: PromptTokenLogprobs, offsets: Choice['offsets']): void {
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

/** Tokens that are parts of characters may have the same text: keep the likeliest. */
function byText(tokens: readonly Pick<TokenLogprob, 'token' | 'logprob'>[]): Record<string, number> {
  const best = new Map<string, number>();
  for (const { token, logprob } of tokens) best.set(token, Math.max(logprob, best.get(token) ?? -Infinity));
  return Object.fromEntries(best);
}
