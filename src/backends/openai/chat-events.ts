import { randomUUID } from 'node:crypto';
import { InferenceError } from '../../errors.ts';
import type { ChatEvent, FinishReason } from '../../categories/chat/events.ts';
import { unreadable } from './api-client.ts';
import { readChoices, readUsage, type WireCall, type WireChoice, type WireUsage } from './wire-chunk.ts';

export interface ChatEventOptions {
  /** Of the request. */
  readonly choices: number;
  readonly includeReasoning: boolean;
}

/** Of one answer, with so many for each piece: memory that a server which never ends may take from its host. */
const maxAnswerCharacters = 2 ** 27;
const charactersPerPiece = 64;

/**
 * Chunks of a chat answer on the wire → what happens in it. Where a server doesn't count tokens, every piece of text
 * counts as one.
 *
 * @throws InferenceError `worker_failed` where the chunks end before every choice has, tell of one more, have another form
 * or never end
 */
export async function* toChatEvents(
  chunks: AsyncIterable<Readonly<Record<string, unknown>>>,
  { choices, includeReasoning }: ChatEventOptions,
): AsyncGenerator<ChatEvent> {
  const ended = new Set<number>();
  const calls = Array.from({ length: choices }, () => new CallNumbers());
  let usage: WireUsage | undefined;
  let pieces = 0;
  let characters = 0;
  let hasBegun = false;
  for await (const chunk of chunks) {
    usage = readUsage(chunk['usage']) ?? usage;
    if (!hasBegun) yield { type: 'prompt-end', promptTokens: usage?.promptTokens ?? 0 };
    hasBegun = true;
    for (const wire of readChoices(chunk)) {
      const { choice, reasoning, content, toolCalls, logprobs, finishReason } = wire;
      const numbers = calls[choice];
      if (!numbers)
        throw new InferenceError('worker_failed', 'The remote server answered more than was asked.');
      if (ended.has(choice)) continue;
      if (reasoning || content || toolCalls.length > 0) pieces++;
      characters += lengthOf(wire) + charactersPerPiece;
      if (characters > maxAnswerCharacters) throw unreadable('it does not end');
      if (logprobs.length > 0 && (includeReasoning || !reasoning))
        yield { type: 'logprobs', choice, tokens: logprobs };
      if (reasoning && includeReasoning) yield { type: 'reasoning-delta', choice, text: reasoning };
      if (content) yield { type: 'text-delta', choice, text: content };
      for (const call of toolCalls) yield* toCallEvents(choice, call, numbers);
      if (!finishReason) continue;
      ended.add(choice);
      yield { type: 'choice-end', choice, finishReason: toFinishReason(finishReason) };
    }
  }
  if (ended.size < choices) {
    throw new InferenceError('worker_failed', 'The remote server ended its answer too early.');
  }
  yield {
    type: 'usage',
    promptTokens: usage?.promptTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    completionTokens: usage?.completionTokens ?? pieces,
    reasoningTokens: usage?.reasoningTokens ?? 0,
  };
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
