import { randomUUID } from 'node:crypto';
import { InferenceError } from '../../errors.ts';
import type { ChatDelta, ChatEvent, FinishReason } from '../../categories/chat/events.ts';
import { unreadable } from './api-client.ts';
import { byteCounter, type TokenCounter } from './count-tokens.ts';
import type { Fields } from './fields.ts';
import { readChoices, readProgress, type WireChoice, type WireProgress } from './wire-chunk.ts';

export interface ChatEventOptions {
  /** Choices of the request. */
  readonly choices: number;
  readonly includeReasoning: boolean;
  /** Counts tokens that the server doesn't report; default: estimated from bytes. */
  readonly counter?: Pick<TokenCounter, 'countAnswer'> | undefined;
  /** Tokens of the prompt, until the server reports them; default 0. */
  readonly promptTokens?: number | undefined;
  /** Maximum tokens per choice, as requested; a choice that far exceeds it is ended. Default: no limit. */
  readonly maxTokens?: number | undefined;
}

/** Maximum characters per answer, with an overhead per chunk: limits the memory that an endless server takes from its host. */
const maxAnswerCharacters = 2 ** 27;
const charactersPerPiece = 64;
/**
 * The server's token count may differ from the number of chunks, and blanks make long tokens: this limit is certainly
 * too much.
 */
const isTooLong = ({ pieces, bytes }: ChoiceState, maxTokens: number): boolean =>
  pieces > 64 + 2 * maxTokens || bytes > 2 ** 14 + 64 * maxTokens;
/** Maximum chunks after the end of all choices, such as token counts. */
const maxLateChunks = 64;

/** Converts the chunks of a streamed chat answer to events. The counter counts tokens that the server doesn't. */
export class ChatEventReader {
  readonly #includeReasoning: boolean;
  readonly #guessedPromptTokens: number;
  readonly #maxTokens: number;
  readonly #add: (event: ChatEvent) => void;
  readonly #states: readonly ChoiceState[];
  #total: WireProgress = {};
  #characters = 0;
  #hasBegun = false;
  #endedChoices = 0;
  #lateChunks = 0;
  #isCut = false;

  constructor(options: ChatEventOptions, add: (event: ChatEvent) => void) {
    const { choices, includeReasoning, counter = byteCounter } = options;
    this.#includeReasoning = includeReasoning;
    this.#guessedPromptTokens = options.promptTokens ?? 0;
    this.#maxTokens = options.maxTokens ?? Infinity;
    this.#add = add;
    this.#states = Array.from({ length: choices }, () => new ChoiceState(counter, add));
  }

  /** @returns whether no further chunk is needed */
  read(chunk: Fields): boolean {
    const progress = readProgress(chunk);
    const wires = readChoices(chunk);
    const choices = this.#states.length;
    if (progress) this.#total = addUsage(this.#total, progress, { choices, hasChoices: wires.length > 0 });
    if (!this.#hasBegun && (this.#total.promptTokens !== undefined || wires.some(saysSomething))) {
      this.#add({ type: 'prompt-end', promptTokens: this.#promptTokens });
      this.#hasBegun = true;
    }
    for (const wire of wires) this.#readChoice(wire, progress?.completionTokens);
    return this.#endedChoices === choices && (this.#isCut || ++this.#lateChunks > maxLateChunks);
  }

  end(): void {
    if (this.#endedChoices === 0)
      throw new InferenceError('worker_failed', 'The remote server ended its answer too early.');
    // LiteLLM forwards the end of only one choice.
    for (const [choice, { isEnded, hasCalls, tokens }] of this.#states.entries()) {
      if (isEnded) continue;
      const isFull = tokens >= this.#maxTokens;
      const finishReason = hasCalls ? 'tool_calls' : isFull ? 'length' : 'stop';
      this.#add({ type: 'choice-end', choice, finishReason });
    }
    const { cachedTokens = 0, completionTokens, reasoningTokens = 0 } = this.#total;
    this.#add({
      type: 'usage',
      promptTokens: this.#promptTokens,
      cachedTokens,
      completionTokens: completionTokens ?? this.#states.reduce((sum, { tokens }) => sum + tokens, 0),
      reasoningTokens,
    });
  }

  get #promptTokens(): number {
    return this.#total.promptTokens ?? this.#guessedPromptTokens;
  }

  /** @param told the server's count of tokens so far */
  #readChoice(wire: WireChoice, told: number | undefined): void {
    const { choice, reasoning, logprobs, finishReason } = wire;
    const state = this.#states[choice];
    if (!state) throw new InferenceError('worker_failed', 'The remote server answered more than was asked.');
    if (state.isEnded) return;
    this.#characters += lengthOf(wire) + charactersPerPiece;
    if (this.#characters > maxAnswerCharacters) throw unreadable('it does not end');
    state.count(wire, told);
    if (logprobs.length > 0 && (this.#includeReasoning || !reasoning))
      this.#add({ type: 'logprobs', choice, tokens: logprobs });
    state.addEvents(wire, this.#includeReasoning);
    if (!finishReason && !isTooLong(state, this.#maxTokens)) return;
    state.isEnded = true;
    this.#endedChoices++;
    this.#isCut ||= !finishReason;
    const reason = finishReasons.get(finishReason || 'length') ?? 'stop';
    this.#add({ type: 'choice-end', choice, finishReason: reason });
  }
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

function saysSomething({ reasoning, content, toolCalls, finishReason }: WireChoice): boolean {
  return Boolean(reasoning || content || finishReason) || toolCalls.length > 0;
}

function lengthOf({ reasoning, content, toolCalls, logprobs }: WireChoice): number {
  let length = reasoning.length + content.length;
  for (const { written } of toolCalls) length += written.length + charactersPerPiece;
  for (const { topLogprobs } of logprobs) length += (1 + topLogprobs.length) * charactersPerPiece;
  return length;
}

class ChoiceState {
  isEnded = false;
  tokens = 0;
  #passedTokens = 0;
  /** Without empty ones. */
  pieces = 0;
  /** As UTF-8. */
  bytes = 0;
  /** Servers number calls in different ways, or not at all. */
  readonly #calls = new Map<number | string | undefined, number>();
  #latestCall: number | string | undefined;
  readonly #counter: Pick<TokenCounter, 'countAnswer'>;
  readonly #add: (event: ChatEvent) => void;

  constructor(counter: Pick<TokenCounter, 'countAnswer'>, add: (event: ChatEvent) => void) {
    this.#counter = counter;
    this.#add = add;
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** @param told the server's count so far */
  count({ reasoning, content, toolCalls }: WireChoice, told: number | undefined): void {
    let text = reasoning + content;
    for (const { name, written } of toolCalls) text += name + written;
    if (text !== '') this.pieces++;
    this.bytes += Buffer.byteLength(text);
    const { pieces, bytes, tokens } = this;
    const counted = told ?? (text === '' ? 0 : this.#counter.countAnswer({ pieces, bytes, text, tokens }));
    this.tokens = Math.max(tokens, counted);
  }

  addEvents({ choice, reasoning, content, toolCalls }: WireChoice, includeReasoning: boolean): void {
    if (reasoning && includeReasoning) this.#addDelta({ type: 'reasoning-delta', choice, text: reasoning });
    else if (reasoning) this.#addDelta({ type: 'hidden-tokens', choice, tokens: 0 });
    if (content) this.#addDelta({ type: 'text-delta', choice, text: content });
    for (const { index, id, name, written } of toolCalls) {
      const key = index ?? (id || this.#latestCall);
      const call = this.#calls.get(key) ?? this.#calls.size;
      if (!this.#calls.has(key)) {
        this.#calls.set(key, call);
        this.#latestCall = key;
        this.#add({ type: 'tool-call-start', choice, call, id: id || `call_${randomUUID()}`, name });
      }
      if (written) this.#addDelta({ type: 'tool-call-delta', choice, call, arguments: written });
    }
  }

  /** Tokens since the previous delta are added to the next one. */
  #addDelta(event: ChatDelta & { tokens?: number | undefined }): void {
    const tokens = this.tokens - this.#passedTokens;
    this.#passedTokens = this.tokens;
    if (tokens !== 1 || event.type === 'hidden-tokens') event.tokens = tokens;
    this.#add(event);
  }
}

/** llama-server counts each of several choices in a separate chunk without choices; most servers count all in one. */
function addUsage(
  total: WireProgress,
  told: WireProgress,
  { choices, hasChoices }: { readonly choices: number; readonly hasChoices: boolean },
): WireProgress {
  const latest = (name: keyof WireProgress): number | undefined => told[name] ?? total[name];
  const ofAll = (name: keyof WireProgress): number | undefined => {
    if (choices === 1) return latest(name);
    return hasChoices || told[name] === undefined ? total[name] : (total[name] ?? 0) + told[name];
  };
  return {
    promptTokens: latest('promptTokens'),
    cachedTokens: latest('cachedTokens'),
    completionTokens: ofAll('completionTokens'),
    reasoningTokens: ofAll('reasoningTokens'),
  };
}
