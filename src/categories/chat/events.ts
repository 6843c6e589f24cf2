import type { ModelInfo } from '../../contracts/model.ts';
import type { TurnKind } from '../../core/chat/turns.ts';

/** A token and its log probability (natural logarithm). */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 bytes; a token may hold only part of a character. */
  readonly bytes: readonly number[];
}

/** A generated token and the most likely tokens at its position. */
export interface TokenLogprobs extends TokenLogprob {
  readonly topLogprobs: readonly TokenLogprob[];
}

/** A token of a prompt; `logprob` is null for the first token. */
export interface PromptTokenLogprobs extends Omit<TokenLogprobs, 'logprob'> {
  readonly logprob: number | null;
}

/** Spelling of a token in the vocabulary. */
export interface TokenSpelling {
  /** As in the tokenizer file, such as `Ġthe`; empty if the token has no name. */
  readonly name: string;
  /** UTF-8 bytes; a token may hold only part of a character. */
  readonly bytes: readonly number[];
}

/** Why a choice ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** Token counts of a chat request. */
export interface ChatUsage {
  readonly promptTokens: number;
  /** Prompt tokens reused from the cache of an earlier request. */
  readonly cachedTokens: number;
  /** Over all choices, reasoning included. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /**
   * Bytes moved between process memory and device, per sequence and step, averaged over the request; only if the key-value caches
   * stay on a device.
   */
  readonly busBytesPerStep?: number | undefined;
}

export interface TokenCount {
  /** Tokens since the previous delta, held-back and invisible tokens included; default 1. */
  readonly tokens?: number | undefined;
}

/**
 * The events of a chat request, in order. `choice` is 0 to n − 1; events of different choices interleave. Concatenate the
 * `text-delta`s of a choice for its content; tool call arguments likewise. `usage` is the last event.
 */
export type ChatEvent =
  /** Only with `echo`: a prompt as the model reads it. */
  | {
      readonly type: 'prompt';
      /** Index of the prompt, from 0. */
      readonly prompt: number;
      readonly text: string;
      readonly tokens: readonly number[];
      /** Number of special tokens before the text's tokens. */
      readonly before: number;
      /** Size of the context, in tokens. */
      readonly contextLength: number;
      /** Only with `echo: 'spelling'`. */
      readonly spellings?: readonly TokenSpelling[] | undefined;
    }
  /** Only with `echo: 'logprobs'`: the next tokens of a prompt. */
  | {
      readonly type: 'prompt-logprobs';
      readonly prompt: number;
      readonly tokens: readonly PromptTokenLogprobs[];
    }
  /** Sent before the prompt is computed. */
  | { readonly type: 'prompt-start'; readonly promptTokens: number }
  | {
      readonly type: 'prompt-end';
      readonly promptTokens: number;
      /** Names of the tools in the prompt, if the template doesn't accept all of them. */
      readonly toolsUsed?: readonly string[];
      /** Kinds of turns merged into different turns because the template doesn't support them; `lost` for turns it can't show. */
      readonly turnsMerged?: readonly TurnKind[];
    }
  | ({ readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string } & TokenCount)
  /** Reasoning tokens that the caller excluded. */
  | { readonly type: 'hidden-tokens'; readonly choice: number; readonly tokens: number }
  | ({ readonly type: 'text-delta'; readonly choice: number; readonly text: string } & TokenCount)
  | {
      readonly type: 'tool-call-start';
      readonly choice: number;
      /** Index of the call within this choice, from 0. */
      readonly call: number;
      readonly id: string;
      readonly name: string;
    }
  | ({
      readonly type: 'tool-call-delta';
      readonly choice: number;
      readonly call: number;
      readonly arguments: string;
    } & TokenCount)
  /** Only with `logprobs`; the tokens of this choice's next event. */
  | { readonly type: 'logprobs'; readonly choice: number; readonly tokens: readonly TokenLogprobs[] }
  | {
      readonly type: 'choice-end';
      readonly choice: number;
      readonly finishReason: FinishReason;
      /** The stop sequence that ended the choice, if any. */
      readonly stopSequence?: string | undefined;
    }
  /** Only with `mayRestart`: a different server restarts the answer; discard all earlier events. */
  | { readonly type: 'answer-restart' }
  | ({ readonly type: 'usage' } & ChatUsage);

/** An event that carries generated tokens. */
export type ChatDelta = Extract<
  ChatEvent,
  { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' | 'hidden-tokens' }
>;

export function isDelta(event: ChatEvent): event is ChatDelta {
  const { type } = event;
  return (
    type === 'text-delta' ||
    type === 'reasoning-delta' ||
    type === 'tool-call-delta' ||
    type === 'hidden-tokens'
  );
}

export interface ChatModelInfo extends ModelInfo {
  readonly category: 'chat';
}

export function sinceRestart(events: readonly ChatEvent[]): readonly ChatEvent[] {
  return events.slice(events.findLastIndex(({ type }) => type === 'answer-restart') + 1);
}
