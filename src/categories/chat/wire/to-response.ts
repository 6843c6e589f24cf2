import type { ChatEvent, ChatUsage, FinishReason, TokenLogprob, TokenLogprobs } from '../events.ts';
import type { ChatCompletion } from './schema.ts';

/** Fields that all parts of one answer share. */
export interface AnswerHead {
  /** `chatcmpl-…` */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
  /** Changes where the model or its settings do. */
  readonly systemFingerprint?: string | undefined;
}

/** The fields that an answer and all its chunks have in common. */
export function toWireHead({ id, created, model, systemFingerprint }: AnswerHead): WireHead {
  return {
    id,
    created,
    model,
    ...(systemFingerprint === undefined ? {} : { system_fingerprint: systemFingerprint }),
  };
}

type WireHead = Pick<ChatCompletion, 'id' | 'created' | 'model' | 'system_fingerprint'>;
/** `usage` of an answer. */
export type WireUsage = ChatCompletion['usage'];
/** `choices[].logprobs` of an answer. */
export type WireLogprobs = NonNullable<ChatCompletion['choices'][number]['logprobs']>;

interface Choice {
  text: string;
  reasoning: string;
  readonly toolCalls: { id: string; name: string; arguments: string }[];
  readonly logprobs: TokenLogprobs[];
  finishReason: FinishReason;
}

/**
 * All events of a chat request → the body of its answer.
 *
 * @example
 * ```ts
 * const head = { id: 'chatcmpl-1', created: 1700000000, model: 'm' };
 * toChatCompletion([{ type: 'text-delta', choice: 0, text: 'Hi' }], head).choices[0].message.content; // 'Hi'
 * ```
 */
export function toChatCompletion(events: Iterable<ChatEvent>, head: AnswerHead): ChatCompletion {
  const choices: Choice[] = [];
  let usage: ChatUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  for (const event of events) {
    if (event.type === 'usage') usage = event;
    else if ('choice' in event) addToChoice((choices[event.choice] ??= emptyChoice()), event);
  }
  return {
    ...toWireHead(head),
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      message: toMessage(choice),
      logprobs: choice.logprobs.length === 0 ? null : toWireLogprobs(choice.logprobs),
      finish_reason: choice.finishReason,
    })),
    usage: toWireUsage(usage),
  };
}

/** Counts of tokens → `usage`. */
export function toWireUsage(usage: ChatUsage): WireUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Log probabilities of tokens → `choices[].logprobs`. */
export function toWireLogprobs(tokens: readonly TokenLogprobs[]): WireLogprobs {
  const content = tokens.map((token) => ({
    ...toWireLogprob(token),
    top_logprobs: token.topLogprobs.map(toWireLogprob),
  }));
  return { content, refusal: null };
}

/** JSON has no −∞; clients of this wire format know this number as a probability of nothing. */
const impossible = -9999;

/** A token and its log probability → the same on the wire. */
export function toWireLogprob({ token, logprob, bytes }: TokenLogprob): {
  token: string;
  logprob: number;
  bytes: number[];
} {
  return { token, logprob: Math.max(logprob, impossible), bytes: [...bytes] };
}

function emptyChoice(): Choice {
  return { text: '', reasoning: '', toolCalls: [], logprobs: [], finishReason: 'stop' };
}

function addToChoice(choice: Choice, event: Extract<ChatEvent, { readonly choice: number }>): void {
  switch (event.type) {
    case 'text-delta':
      choice.text += event.text;
      break;
    case 'reasoning-delta':
      choice.reasoning += event.text;
      break;
    case 'tool-call-start':
      choice.toolCalls[event.call] = { id: event.id, name: event.name, arguments: '' };
      break;
    case 'tool-call-delta':
      choice.toolCalls[event.call]!.arguments += event.arguments;
      break;
    case 'logprobs':
      choice.logprobs.push(...event.tokens);
      break;
    case 'choice-end':
      choice.finishReason = event.finishReason;
      break;
  }
}

function toMessage({ text, reasoning, toolCalls }: Choice): ChatCompletion['choices'][number]['message'] {
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toWireToolCall) }),
  };
}

function toWireToolCall(call: Choice['toolCalls'][number]): {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
} {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}
