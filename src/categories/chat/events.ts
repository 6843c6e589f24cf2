import type { ModelInfo } from '../../contracts/model.ts';
import type { TurnKind } from '../../core/chat/turns.ts';

/** A token and how likely the model found it, as a natural logarithm. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 bytes of the token; a token may hold part of a character only. */
  readonly bytes: readonly number[];
}

/** A generated token and the most likely ones at its position. */
export interface TokenLogprobs extends TokenLogprob {
  readonly topLogprobs: readonly TokenLogprob[];
}

/** A token of a prompt; nothing tells how likely the first one is. */
export interface PromptTokenLogprobs extends Omit<TokenLogprobs, 'logprob'> {
  readonly logprob: number | null;
}

/** How a vocabulary spells a token. */
export interface TokenSpelling {
  /** As its file has it, such as `Ġthe`; empty where it has none. */
  readonly name: string;
  /** UTF-8 bytes that the token stands for; a token may hold part of a character only. */
  readonly bytes: readonly number[];
}

/** Reason for the end of a choice. */
export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** Token counts of a chat request. */
export interface ChatUsage {
  readonly promptTokens: number;
  /** Tokens of the prompt that needed no computing because an earlier request had the same beginning. */
  readonly cachedTokens: number;
  /** Over all choices, reasoning included. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /**
   * Bytes between this process's memory and the device for each sequence and step, averaged over the steps during the request;
   * only where the key-value caches stay on a device.
   */
  readonly busBytesPerStep?: number | undefined;
}

/** Number of generated tokens of a delta. */
export interface TokenCount {
  /** Tokens since the delta before, held-back and invisible ones included; default 1. */
  readonly tokens?: number | undefined;
}

/**
 * The events of a chat request, in order. `choice` counts from 0 to n − 1; events of different choices
 * interleave. Concatenating the `text-delta`s of a choice gives its content; tool call arguments likewise.
 * `usage` comes once, last.
 */
export type ChatEvent =
  /** Only with `echo`: a prompt as the model reads it. */
  | {
      readonly type: 'prompt';
      /** Counts the prompts of a request from 0. */
      readonly prompt: number;
      readonly text: string;
      readonly tokens: readonly number[];
      /** Number of special tokens before those of the text. */
      readonly before: number;
      /** Tokens that the model holds. */
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
  /** The prompt is about to be computed. */
  | { readonly type: 'prompt-start'; readonly promptTokens: number }
  | {
      readonly type: 'prompt-end';
      readonly promptTokens: number;
      /** Names of the tools that the prompt describes, where its template doesn't take all of them. */
      readonly toolsUsed?: readonly string[];
      /** Kinds of turns that became parts of others, since its template has no place for them, and `lost` for those it can't show. */
      readonly turnsMerged?: readonly TurnKind[];
    }
  | ({ readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string } & TokenCount)
  /** Tokens of reasoning that the caller doesn't want. */
  | { readonly type: 'hidden-tokens'; readonly choice: number; readonly tokens: number }
  | ({ readonly type: 'text-delta'; readonly choice: number; readonly text: string } & TokenCount)
  | {
      readonly type: 'tool-call-start';
      readonly choice: number;
      /** Counts the calls of this choice from 0. */
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
  /** Only with `logprobs`; the tokens of the event of this choice that follows. */
  | { readonly type: 'logprobs'; readonly choice: number; readonly tokens: readonly TokenLogprobs[] }
  | {
      readonly type: 'choice-end';
      readonly choice: number;
      readonly finishReason: FinishReason;
      /** The stop sequence that ended it, where one has. */
      readonly stopSequence?: string | undefined;
    }
  /** Only with `mayRestart`: another server begins the answer again, and the events before this one don't count. */
  | { readonly type: 'answer-restart' }
  | ({ readonly type: 'usage' } & ChatUsage);

/** An event that stands for generated tokens. */
export type ChatDelta = Extract<
  ChatEvent,
  { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' | 'hidden-tokens' }
>;

/** Whether an event stands for generated tokens. */
export function isDelta(event: ChatEvent): event is ChatDelta {
  const { type } = event;
  return (
    type === 'text-delta' ||
    type === 'reasoning-delta' ||
    type === 'tool-call-delta' ||
    type === 'hidden-tokens'
  );
}

/** Facts about a loaded chat model. */
export interface ChatModelInfo extends ModelInfo {
  readonly category: 'chat';
}

export function sinceRestart(events: readonly ChatEvent[]): readonly ChatEvent[] {
  return events.slice(events.findLastIndex(({ type }) => type === 'answer-restart') + 1);
}
