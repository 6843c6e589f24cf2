import { randomUUID } from 'node:crypto';
import { InferenceError } from '../../errors.ts';
import { isDelta, type ChatEvent, type FinishReason } from '../../categories/chat/events.ts';
import { unreadable } from './api-client.ts';
import { byteCounter, type TokenCounter } from './count-tokens.ts';
import {
  readChoices,
  readProgress,
  type WireCall,
  type WireChoice,
  type WireProgress,
} from './wire-chunk.ts';

export interface ChatEventOptions {
  /** Choices of the request. */
  readonly choices: number;
  readonly includeReasoning: boolean;
  /** Counts what the server doesn't; default: estimated from bytes. */
  readonly counter?: Pick<TokenCounter, 'countAnswer'> | undefined;
  /** Tokens of the prompt, as long as the server reports none; default 0. */
  readonly promptTokens?: number | undefined;
  /** Most tokens of each choice that the server was asked for; a choice that goes far beyond ends there. Default: any number. */
  readonly maxTokens?: number | undefined;
}

/** Most characters of one answer, with so many for each piece: a bound on the memory that an endless server takes from its host. */
const maxAnswerCharacters = 2 ** 27;
const charactersPerPiece = 64;
/** A server may count other tokens than it sends pieces, and blanks make long ones: this much is surely too much. */
const mostPieces = (maxTokens: number): number => 64 + 2 * maxTokens;
const mostBytes = (maxTokens: number): number => 2 ** 14 + 64 * maxTokens;
/** Most chunks after the end of all choices, such as those that count tokens. */
const mostLateChunks = 64;

/** Chunks of a chat answer on the wire → what happens in it. Where a server doesn't count tokens, the counter does. */
export async function* toChatEvents(
  chunks: AsyncIterable<Readonly<Record<string, unknown>>>,
  {
    choices,
    includeReasoning,
    counter = byteCounter,
    promptTokens: guessed = 0,
    maxTokens = Infinity,
  }: ChatEventOptions,
): AsyncGenerator<ChatEvent> {
  const ended = new Set<number>();
  const calls = Array.from({ length: choices }, () => new CallNumbers());
  const counts = Array.from({ length: choices }, () => new AnswerCount(counter));
  const total = new TotalUsage(choices);
  let characters = 0;
  let hasBegun = false;
  let lateChunks = 0;
  let isCut = false;
  for await (const chunk of chunks) {
    const progress = readProgress(chunk);
    const wires = readChoices(chunk);
    total.add(progress, wires.length > 0);
    if (!hasBegun && (total.promptTokens !== undefined || wires.some(saysSomething))) {
      yield { type: 'prompt-end', promptTokens: total.promptTokens ?? guessed };
      hasBegun = true;
    }
    for (const wire of wires) {
      const { choice, reasoning, logprobs, finishReason } = wire;
      const [numbers, count] = [calls[choice], counts[choice]];
      if (!numbers || !count)
        throw new InferenceError('worker_failed', 'The remote server answered more than was asked.');
      if (ended.has(choice)) continue;
      characters += lengthOf(wire) + charactersPerPiece;
      if (characters > maxAnswerCharacters) throw unreadable('it does not end');
      count.add(wire, progress.completionTokens);
      if (logprobs.length > 0 && (includeReasoning || !reasoning))
        yield { type: 'logprobs', choice, tokens: logprobs };
      for (const event of toEvents(wire, includeReasoning, numbers)) yield withTokens(event, count);
      const isEndless = count.pieces > mostPieces(maxTokens) || count.bytes > mostBytes(maxTokens);
      if (!finishReason && !isEndless) continue;
      ended.add(choice);
      yield {
        type: 'choice-end',
        choice,
        finishReason: finishReason ? toFinishReason(finishReason) : 'length',
      };
      isCut ||= !finishReason;
    }
    if (ended.size === choices && (isCut || ++lateChunks > mostLateChunks)) break;
  }
  if (ended.size === 0)
    throw new InferenceError('worker_failed', 'The remote server ended its answer too early.');
  // LiteLLM passes on the end of one choice and drops those of the others.
  for (const [choice, { tokens }] of counts.entries()) {
    if (ended.has(choice)) continue;
    const isFull = tokens >= maxTokens;
    const finishReason = calls[choice]!.any ? 'tool_calls' : isFull ? 'length' : 'stop';
    yield { type: 'choice-end', choice, finishReason };
  }
  yield {
    type: 'usage',
    promptTokens: total.promptTokens ?? guessed,
    cachedTokens: total.cachedTokens ?? 0,
    completionTokens: total.completionTokens ?? counts.reduce((sum, { tokens }) => sum + tokens, 0),
    reasoningTokens: total.reasoningTokens ?? 0,
  };
}

function saysSomething({ reasoning, content, toolCalls, finishReason }: WireChoice): boolean {
  return Boolean(reasoning || content || finishReason) || toolCalls.length > 0;
}

function* toEvents(wire: WireChoice, includeReasoning: boolean, numbers: CallNumbers): Generator<ChatEvent> {
  const { choice, reasoning, content, toolCalls } = wire;
  if (reasoning) {
    yield includeReasoning
      ? { type: 'reasoning-delta', choice, text: reasoning }
      : { type: 'hidden-tokens', choice, tokens: 0 };
  }
  if (content) yield { type: 'text-delta', choice, text: content };
  for (const call of toolCalls) yield* toCallEvents(choice, call, numbers);
}

/** Tokens since the delta before go with the next one. */
function withTokens(event: ChatEvent, count: AnswerCount): ChatEvent {
  if (!isDelta(event)) return event;
  const tokens = count.take();
  return tokens === 1 && event.type !== 'hidden-tokens' ? event : { ...event, tokens };
}

function lengthOf({ reasoning, content, toolCalls, logprobs }: WireChoice): number {
  const calls = toolCalls.reduce((sum, { written }) => sum + written.length + charactersPerPiece, 0);
  const tokens = logprobs.reduce((sum, { topLogprobs }) => sum + 1 + topLogprobs.length, 0);
  return reasoning.length + content.length + calls + tokens * charactersPerPiece;
}

/** Numbers the calls of a choice: servers number them as they like, or not at all. */
class CallNumbers {
  readonly #numbers = new Map<number | string | undefined, number>();
  #latest: number | string | undefined;

  get any(): boolean {
    return this.#numbers.size > 0;
  }

  /** @returns the call's number, and whether it is new */
  numberOf({ index, id }: WireCall): { readonly call: number; readonly isNew: boolean } {
    const key = index ?? (id || this.#latest);
    const known = this.#numbers.get(key);
    const call = known ?? this.#numbers.size;
    if (known === undefined) {
      this.#numbers.set(key, call);
      this.#latest = key;
    }
    return { call, isNew: known === undefined };
  }
}

function* toCallEvents(choice: number, wire: WireCall, numbers: CallNumbers): Generator<ChatEvent> {
  const { id, name, written } = wire;
  const { call, isNew } = numbers.numberOf(wire);
  if (isNew) yield { type: 'tool-call-start', choice, call, id: id || `call_${randomUUID()}`, name };
  if (written) yield { type: 'tool-call-delta', choice, call, arguments: written };
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

function toFinishReason(reason: string): FinishReason {
  return finishReasons.get(reason) ?? 'stop';
}

/** Counts the tokens of one choice as its pieces come. */
class AnswerCount {
  /** So far. */
  tokens = 0;
  #taken = 0;
  /** So far, without those that are empty. */
  pieces = 0;
  /** So far, as UTF-8. */
  bytes = 0;
  readonly #counter: Pick<TokenCounter, 'countAnswer'>;

  constructor(counter: Pick<TokenCounter, 'countAnswer'>) {
    this.#counter = counter;
  }

  /** @param told the server's count so far */
  add({ reasoning, content, toolCalls }: WireChoice, told: number | undefined): void {
    const text = reasoning + content + toolCalls.map(({ name, written }) => name + written).join('');
    if (text !== '') this.pieces++;
    this.bytes += Buffer.byteLength(text);
    if (told !== undefined) this.tokens = Math.max(this.tokens, told);
    else if (text !== '') {
      const { pieces, bytes, tokens } = this;
      const counted = this.#counter.countAnswer({ pieces, bytes, text, tokens });
      this.tokens = Math.max(tokens, counted);
    }
  }

  /** Tokens since it was called before. */
  take(): number {
    const tokens = this.tokens - this.#taken;
    this.#taken = this.tokens;
    return tokens;
  }
}

/** Usage that a server reports for all choices together. */
class TotalUsage {
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  completionTokens: number | undefined;
  reasoningTokens: number | undefined;
  readonly #choices: number;

  constructor(choices: number) {
    this.#choices = choices;
  }

  /** llama-server counts each choice in a chunk of its own, which has none; others count all in one. */
  add(told: WireProgress, hasChoices: boolean): void {
    this.promptTokens = told.promptTokens ?? this.promptTokens;
    this.cachedTokens = told.cachedTokens ?? this.cachedTokens;
    if (this.#choices === 1) {
      this.completionTokens = told.completionTokens ?? this.completionTokens;
      this.reasoningTokens = told.reasoningTokens ?? this.reasoningTokens;
    } else if (!hasChoices) {
      this.completionTokens = addCounts(this.completionTokens, told.completionTokens);
      this.reasoningTokens = addCounts(this.reasoningTokens, told.reasoningTokens);
    }
  }
}

function addCounts(one: number | undefined, other: number | undefined): number | undefined {
  return other === undefined ? one : (one ?? 0) + other;
}
