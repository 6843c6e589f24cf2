import { randomUUID } from 'node:crypto';
import { InferenceError } from '../../errors.ts';
import type { ChatEvent, FinishReason, TokenLogprobs } from '../contract.ts';

/** The parts of a chunk that are read; servers send more, and less. */
interface WireChunk {
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: WireUsage | null;
}

interface WireChoice {
  readonly index?: number;
  readonly delta?: WireDelta | null;
  readonly logprobs?: { readonly content?: readonly WireLogprob[] | null } | null;
  readonly finish_reason?: string | null;
}

interface WireDelta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  /** As newer servers call it. */
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly WireCall[] | null;
}

interface WireCall {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
}

interface WireLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
  readonly top_logprobs?: readonly WireLogprob[];
}

interface WireUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

export interface ChatEventOptions {
  /** Of the request. */
  readonly choices: number;
  readonly includeReasoning: boolean;
}

/**
 * Chunks of a chat answer on the wire → what happens in it. Where a server doesn't count tokens, every piece of text
 * counts as one.
 *
 * @throws InferenceError `worker_failed` where the chunks end before every choice has, or tell of one more
 */
export async function* toChatEvents(
  chunks: AsyncIterable<unknown>,
  { choices, includeReasoning }: ChatEventOptions,
): AsyncGenerator<ChatEvent> {
  const ended = new Set<number>();
  const calls: CallKey[][] = Array.from({ length: choices }, () => []);
  let usage: WireUsage | undefined;
  let pieces = 0;
  let hasBegun = false;
  for await (const chunk of chunks as AsyncIterable<WireChunk>) {
    if (!hasBegun) yield { type: 'prompt-end', promptTokens: chunk.usage?.prompt_tokens ?? 0 };
    hasBegun = true;
    usage = chunk.usage ?? usage;
    for (const { index: choice = 0, delta, logprobs, finish_reason: reason } of chunk.choices ?? []) {
      const begun = calls[choice];
      if (!begun)
        throw new InferenceError('worker_failed', 'The remote server answered more than was asked.');
      if (ended.has(choice)) continue;
      const reasoning = delta?.reasoning_content ?? delta?.reasoning;
      if (reasoning || delta?.content || delta?.tool_calls?.length) pieces++;
      if (reasoning && includeReasoning) yield { type: 'reasoning-delta', choice, text: reasoning };
      if (delta?.content) yield { type: 'text-delta', choice, text: delta.content };
      for (const call of delta?.tool_calls ?? []) yield* toCallEvents(choice, call, begun);
      if (logprobs?.content?.length) {
        yield { type: 'logprobs', choice, tokens: logprobs.content.map(toTokenLogprobs) };
      }
      if (!reason) continue;
      ended.add(choice);
      yield { type: 'choice-end', choice, finishReason: toFinishReason(reason) };
    }
  }
  if (ended.size < choices) {
    throw new InferenceError('worker_failed', 'The remote server ended its answer too early.');
  }
  yield {
    type: 'usage',
    promptTokens: usage?.prompt_tokens ?? 0,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? pieces,
    reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

/** What tells the calls of a choice apart: servers number them as they like, or not at all. */
type CallKey = number | string | undefined;

function* toCallEvents(choice: number, wire: WireCall, begun: CallKey[]): Generator<ChatEvent> {
  const key = wire.index ?? (wire.id || begun.at(-1));
  const { name, arguments: written } = wire.function ?? {};
  let call = begun.indexOf(key);
  if (call === -1) {
    call = begun.push(key) - 1;
    yield { type: 'tool-call-start', choice, call, id: wire.id || `call_${randomUUID()}`, name: name ?? '' };
  }
  if (written) yield { type: 'tool-call-delta', choice, call, arguments: written };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
};

function toFinishReason(reason: string): FinishReason {
  return finishReasons[reason] ?? 'stop';
}

function toTokenLogprobs(wire: WireLogprob): TokenLogprobs {
  return { ...toTokenLogprob(wire), topLogprobs: (wire.top_logprobs ?? []).map(toTokenLogprob) };
}

function toTokenLogprob({ token, logprob, bytes }: WireLogprob): Omit<TokenLogprobs, 'topLogprobs'> {
  return { token, logprob, bytes: bytes ?? Array.from(new TextEncoder().encode(token)) };
}
