import { randomUUID } from 'node:crypto';
import { InferenceError } from '../../errors.ts';
import { isDelta, type ChatEvent, type FinishReason } from '../../categories/chat/events.ts';
import { unreadable } from './api-client.ts';
import { byteCounter, type TokenCounter } from './count-tokens.ts';
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

/** Converts chunks of a streamed chat answer to events. The counter counts tokens that the server doesn't. */
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
  const states = Array.from({ length: choices }, () => new ChoiceState(counter));
  let total: WireProgress = {};
  let characters = 0;
  let hasBegun = false;
  let lateChunks = 0;
  let isCut = false;
  for await (const chunk of chunks) {
    const progress = readProgress(chunk);
    const wires = readChoices(chunk);
    total = addUsage(total, progress, { choices, hasChoices: wires.length > 0 });
    if (!hasBegun && (total.promptTokens !== undefined || wires.some(saysSomething))) {
      yield { type: 'prompt-end', promptTokens: total.promptTokens ?? guessed };
      hasBegun = true;
    }
    for (const wire of wires) {
      const { choice, reasoning, logprobs, finishReason } = wire;
      const state = states[choice];
      if (!state)
        throw new InferenceError('worker_failed', 'The remote server answered more than was asked.');
      if (state.isEnded) continue;
      characters += lengthOf(wire) + charactersPerPiece;
      if (characters > maxAnswerCharacters) throw unreadable('it does not end');
      state.count(wire, progress.completionTokens);
      if (logprobs.length > 0 && (includeReasoning || !reasoning))
        yield { type: 'logprobs', choice, tokens: logprobs };
      for (const event of state.eventsOf(wire, includeReasoning)) yield state.withTokens(event);
      if (!finishReason && !isTooLong(state, maxTokens)) continue;
      state.isEnded = true;
      isCut ||= !finishReason;
      yield {
        type: 'choice-end',
        choice,
        finishReason: finishReasons.get(finishReason || 'length') ?? 'stop',
      };
    }
    if (states.every(({ isEnded }) => isEnded) && (isCut || ++lateChunks > maxLateChunks)) break;
  }
  if (!states.some(({ isEnded }) => isEnded))
    throw new InferenceError('worker_failed', 'The remote server ended its answer too early.');
  // LiteLLM forwards the end of only one choice.
  for (const [choice, { isEnded, hasCalls, tokens }] of states.entries()) {
    if (isEnded) continue;
    const isFull = tokens >= maxTokens;
    yield { type: 'choice-end', choice, finishReason: hasCalls ? 'tool_calls' : isFull ? 'length' : 'stop' };
  }
  yield {
    type: 'usage',
    promptTokens: total.promptTokens ?? guessed,
    cachedTokens: total.cachedTokens ?? 0,
    completionTokens: total.completionTokens ?? states.reduce((sum, { tokens }) => sum + tokens, 0),
    reasoningTokens: total.reasoningTokens ?? 0,
  };
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
  const calls = toolCalls.reduce((sum, { written }) => sum + written.length + charactersPerPiece, 0);
  const tokens = logprobs.reduce((sum, { topLogprobs }) => sum + 1 + topLogprobs.length, 0);
  return reasoning.length + content.length + calls + tokens * charactersPerPiece;
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

  constructor(counter: Pick<TokenCounter, 'countAnswer'>) {
    this.#counter = counter;
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** @param told the server's count so far */
  count({ reasoning, content, toolCalls }: WireChoice, told: number | undefined): void {
    const text = reasoning + content + toolCalls.map(({ name, written }) => name + written).join('');
    if (text !== '') this.pieces++;
    this.bytes += Buffer.byteLength(text);
    const { pieces, bytes, tokens } = this;
    const counted = told ?? (text === '' ? 0 : this.#counter.countAnswer({ pieces, bytes, text, tokens }));
    this.tokens = Math.max(tokens, counted);
  }

  *eventsOf(
    { choice, reasoning, content, toolCalls }: WireChoice,
    includeReasoning: boolean,
  ): Generator<ChatEvent> {
    if (reasoning) {
      yield includeReasoning
        ? { type: 'reasoning-delta', choice, text: reasoning }
        : { type: 'hidden-tokens', choice, tokens: 0 };
    }
    if (content) yield { type: 'text-delta', choice, text: content };
    for (const { index, id, name, written } of toolCalls) {
      const key = index ?? (id || this.#latestCall);
      const call = this.#calls.get(key) ?? this.#calls.size;
      if (!this.#calls.has(key)) {
        this.#calls.set(key, call);
        this.#latestCall = key;
        yield { type: 'tool-call-start', choice, call, id: id || `call_${randomUUID()}`, name };
      }
      if (written) yield { type: 'tool-call-delta', choice, call, arguments: written };
    }
  }

  /** Tokens since the previous delta are added to the next one. */
  withTokens(event: ChatEvent): ChatEvent {
    if (!isDelta(event)) return event;
    const tokens = this.tokens - this.#passedTokens;
    this.#passedTokens = this.tokens;
    return tokens === 1 && event.type !== 'hidden-tokens' ? event : { ...event, tokens };
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
