import type { TokenLogprobs } from '../../categories/chat/events.ts';
import { unreadable } from './api-client.ts';
import { toCount } from './to-count.ts';

/** The parts of a chunk's choice that are read; servers send more, and less. */
export interface WireChoice {
  /** -1 where its number is none. */
  readonly choice: number;
  readonly content: string;
  readonly reasoning: string;
  readonly toolCalls: readonly WireCall[];
  readonly logprobs: readonly TokenLogprobs[];
  readonly finishReason: string;
}

export interface WireCall {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  /** The next piece of its arguments. */
  readonly written: string;
}

/** Tokens, as far as a server counts them. */
export interface WireUsage {
  readonly promptTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The choices of a chunk.
 *
 * @throws InferenceError `worker_failed` for a field of another type
 */
export function readChoices(chunk: Fields): WireChoice[] {
  return objectsOf(chunk, 'choices').map((choice) => {
    const delta = objectOf(choice, 'delta');
    return {
      choice: toCount(choice['index'] ?? 0) ?? -1,
      content: textOf(delta, 'content'),
      // As older servers call it, and as newer ones do.
      reasoning: textOf(delta, 'reasoning_content') || textOf(delta, 'reasoning'),
      toolCalls: objectsOf(delta, 'tool_calls').map(toCall),
      logprobs: objectsOf(objectOf(choice, 'logprobs'), 'content').map(toTokenLogprobs),
      finishReason: textOf(choice, 'finish_reason'),
    };
  });
}

/** What a server counted; `undefined` where it counts nothing. */
export function readUsage(usage: unknown): WireUsage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const fields = usage as Fields;
  return {
    promptTokens: toCount(fields['prompt_tokens']),
    cachedTokens: toCount(objectOf(fields, 'prompt_tokens_details')['cached_tokens']),
    completionTokens: toCount(fields['completion_tokens']),
    reasoningTokens: toCount(objectOf(fields, 'completion_tokens_details')['reasoning_tokens']),
  };
}

function toCall(call: Fields): WireCall {
  const { index } = call;
  const called = objectOf(call, 'function');
  return {
    index: typeof index === 'number' ? index : undefined,
    id: textOf(call, 'id'),
    name: textOf(called, 'name'),
    written: textOf(called, 'arguments'),
  };
}

function toTokenLogprobs(token: Fields): TokenLogprobs {
  return { ...toTokenLogprob(token), topLogprobs: objectsOf(token, 'top_logprobs').map(toTokenLogprob) };
}

function toTokenLogprob(fields: Fields): Omit<TokenLogprobs, 'topLogprobs'> {
  const { logprob, bytes } = fields;
  const token = textOf(fields, 'token');
  if (typeof logprob !== 'number') throw unreadable('logprob: expected a number');
  return {
    token,
    logprob,
    bytes: Array.isArray(bytes) ? bytes : Array.from(new TextEncoder().encode(token)),
  };
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value === 'string') return value;
  throw unreadable(`${name}: expected a string`);
}

function objectOf(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {};
  if (typeof value === 'object') return value as Fields;
  throw unreadable(`${name}: expected an object`);
}

function objectsOf(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name] ?? [];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
  if (isList) return value as readonly Fields[];
  throw unreadable(`${name}: expected an array of objects`);
}
