import { collectChoice, type CollectedChoice } from '../../collect-choices.ts';
import type { ChatEvent, ChatUsage, TokenLogprob, TokenLogprobs } from '../../events.ts';
import type { ChatCompletion } from './schema.ts';

/** Fields shared by all parts of an answer. */
export interface AnswerHead {
  /** `chatcmpl-…` */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
  /** Changes with the model or its settings. */
  readonly systemFingerprint?: string | undefined;
}

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
type WireLogprob = Omit<WireLogprobs['content'][number], 'top_logprobs'>;
/** `choices[].logprobs` of an answer. */
export type WireLogprobs = NonNullable<ChatCompletion['choices'][number]['logprobs']>;

/**
 * All events of a chat request → the response body.
 *
 * @example
 * ```ts
 * const head = { id: 'chatcmpl-1', created: 1700000000, model: 'm' };
 * toChatCompletion([{ type: 'text-delta', choice: 0, text: 'Hi' }], head).choices[0].message.content; // 'Hi'
 * ```
 */
export function toChatCompletion(events: Iterable<ChatEvent>, head: AnswerHead): ChatCompletion {
  const choices: CollectedChoice[] = [];
  let usage: ChatUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  for (const event of events) {
    if (event.type === 'usage') usage = event;
    else collectChoice(choices, event);
  }
  return {
    ...toWireHead(head),
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      message: toMessage(choice),
      logprobs: choice.logprobs.length === 0 ? null : toWireLogprobs(choice.logprobs),
      finish_reason: choice.finishReason ?? 'stop',
    })),
    usage: toWireUsage(usage),
  };
}

export function toWireUsage(usage: ChatUsage): WireUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

export function toWireLogprobs(tokens: readonly TokenLogprobs[]): WireLogprobs {
  const content = tokens.map((token) => ({
    ...toWireLogprob(token),
    top_logprobs: token.topLogprobs.map(toWireLogprob),
  }));
  return { content, refusal: null };
}

/** JSON has no −∞; OpenAI's API uses this number for probability 0. */
const impossible = -9999;

export function toWireLogprob({ token, logprob, bytes }: TokenLogprob): WireLogprob {
  return { token, logprob: Math.max(logprob, impossible), bytes: [...bytes] };
}

function toMessage({ parts, calls }: CollectedChoice): ChatCompletion['choices'][number]['message'] {
  const contentOf = (wanted: 'text' | 'reasoning'): string =>
    parts.map(({ type, content }) => (type === wanted ? content : '')).join('');
  const text = contentOf('text');
  const reasoning = contentOf('reasoning');
  const toolCalls = calls.map(({ id, name, arguments: given }) => {
    return { id, type: 'function' as const, function: { name, arguments: given } };
  });
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}
