import { toFrame } from '../../../../http/sse.ts';
import { type ChatEvent, type TokenLogprobs, isDelta } from '../../events.ts';
import type { ChatCompletionChunk } from './schema.ts';
import { toWireHead, toWireLogprobs, type AnswerHead, toWireUsage, type WireUsage } from './print.ts';

export interface ChunkUsageOptions {
  /** Send a last chunk with the usage; earlier chunks have `usage: null`. */
  readonly includeUsage: boolean;
  /** Send each choice's usage so far in its chunks; default false. */
  readonly continuousUsage?: boolean | undefined;
}

/** One choice per chunk, with usage. */
export function createChunkWriter<Head extends object, Choice extends { readonly index: number }>(
  head: Head,
  { includeUsage, continuousUsage }: ChunkUsageOptions,
  toChoices: (event: ChatEvent) => Choice[],
): (event: ChatEvent) => (Head & { choices: Choice[]; usage?: WireUsage | null })[] {
  let promptTokens = 0;
  const completionTokens: number[] = [];
  const toChunk = (choice: Choice) => {
    const chunk = { ...head, choices: [choice] };
    if (!continuousUsage) return includeUsage ? { ...chunk, usage: null } : chunk;
    const counts = { promptTokens, completionTokens: completionTokens[choice.index] ?? 0 };
    return { ...chunk, usage: toWireUsage({ ...counts, cachedTokens: 0, reasoningTokens: 0 }) };
  };
  return (event) => {
    if (event.type === 'usage')
      return includeUsage ? [{ ...head, choices: [], usage: toWireUsage(event) }] : [];
    if (event.type === 'prompt-start' || event.type === 'prompt-end') ({ promptTokens } = event);
    else if (isDelta(event))
      completionTokens[event.choice] = (completionTokens[event.choice] ?? 0) + (event.tokens ?? 1);
    return toChoices(event).map(toChunk);
  };
}

type WireChoice = ChatCompletionChunk['choices'][number];

/** The request options that affect chunks. */
export interface ChunkOptions extends ChunkUsageOptions {
  /** Expected number of choices. */
  readonly choices: number;
}

/**
 * Creates a function that turns the ordered events of one answer into chunks. Each choice starts with a
 * chunk that has the role, sent as soon as the prompt has been read.
 * @example
 * ```ts
 * const toChunks = createChunker({ id: 'chatcmpl-1', created: 0, model: 'm' }, { choices: 1, includeUsage: false });
 * toChunks({ type: 'text-delta', choice: 0, text: 'Hi' }).map(({ choices }) => choices[0].delta);
 * // [{ role: 'assistant', content: null }, { content: 'Hi' }]
 * ```
 */
export function createChunker(
  head: AnswerHead,
  options: ChunkOptions,
): (event: ChatEvent) => ChatCompletionChunk[] {
  const begun = new Set<number>();
  /** Log probabilities for each choice's next chunk. */
  const logprobs = new Map<number, TokenLogprobs[]>();
  const begin = (index: number): WireChoice[] => {
    if (begun.has(index)) return [];
    begun.add(index);
    return [{ index, delta: { role: 'assistant', content: null }, finish_reason: null }];
  };
  const toChoices = (event: ChatEvent): WireChoice[] => {
    if (event.type === 'prompt-end')
      return Array.from({ length: options.choices }, (_, choice) => begin(choice)).flat();
    if (!('choice' in event) || event.type === 'hidden-tokens') return [];
    const { choice } = event;
    const tokens = logprobs.get(choice);
    if (event.type === 'logprobs') {
      logprobs.set(choice, [...(tokens ?? []), ...event.tokens]);
      return [];
    }
    logprobs.delete(choice);
    const written = toWireChoice(event);
    return [...begin(choice), tokens ? { ...written, logprobs: toWireLogprobs(tokens) } : written];
  };
  const wireHead = { ...toWireHead(head), object: 'chat.completion.chunk' as const };
  return createChunkWriter(wireHead, options, toChoices);
}

/** Like `createChunker`, but writes stream frames. */
export function createFrameWriter(head: AnswerHead, options: ChunkOptions): (event: ChatEvent) => string {
  const toChunks = createChunker(head, options);
  /** Frame text around the delta; constant while only text changes. */
  const sides: (readonly string[])[] = [];
  return (event) => {
    const isText = event.type === 'text-delta';
    const known = isText ? sides[event.choice] : undefined;
    if (isText && known) return `${known[0]}"content":${JSON.stringify(event.text)}${known[1]}`;
    const chunks = toChunks(event);
    const latest = chunks.at(-1);
    if (event.type === 'logprobs') sides.length = 0;
    else if (isText && latest?.choices[0]?.logprobs === undefined && !options.continuousUsage) {
      const empty = { ...latest, choices: [toWireChoice({ ...event, text: '' })] };
      sides[event.choice] = toFrame(empty).split('"content":""');
    }
    return chunks.map(toFrame).join('');
  };
}

function toWireChoice(
  event: Exclude<
    Extract<ChatEvent, { readonly choice: number }>,
    { readonly type: 'hidden-tokens' | 'logprobs' }
  >,
): WireChoice {
  const index = event.choice;
  switch (event.type) {
    case 'text-delta':
      return { index, delta: { content: event.text }, finish_reason: null };
    case 'reasoning-delta':
      return { index, delta: { reasoning_content: event.text }, finish_reason: null };
    case 'tool-call-start': {
      const { call, id, name } = event;
      const toolCall = { index: call, id, type: 'function' as const, function: { name, arguments: '' } };
      return { index, delta: { tool_calls: [toolCall] }, finish_reason: null };
    }
    case 'tool-call-delta': {
      const toolCall = { index: event.call, function: { arguments: event.arguments } };
      return { index, delta: { tool_calls: [toolCall] }, finish_reason: null };
    }
    case 'choice-end':
      return { index, delta: {}, finish_reason: event.finishReason };
  }
}
