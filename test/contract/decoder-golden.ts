import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  completeChatRequest,
  type ChatRequestInput,
  type ChatRequest,
} from '../../src/categories/chat/request.ts';
import type { ChatEvent, ChatModelInfo } from '../../src/categories/chat/events.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { ChatMessage } from '../../src/core/chat/messages.ts';
import type { Dtype } from '../../src/contracts/files.ts';
import { marginOf } from '../tolerance.ts';

/** What the reference answered to a conversation, greedily. Log probabilities and logits have five decimals. */
export interface GoldenConversation {
  readonly messages: readonly ChatMessage[];
  readonly promptTokens: readonly number[];
  /** Without the one that ended the answer. */
  readonly tokens: readonly number[];
  readonly text: string;
  /** `length`: the golden ends here, the answer may not. */
  readonly finishReason: 'stop' | 'length';
  readonly logprobs: readonly number[];
  /** After the prompt. */
  readonly firstLogits: readonly number[];
  readonly lastLogits: readonly number[];
}

/** A conversation, its next turn, and a long one with a system message. */
export type GoldenConversations = readonly [GoldenConversation, GoldenConversation, GoldenConversation];

export interface DecoderGolden {
  readonly goldens: Partial<Readonly<Record<Dtype, GoldenConversations>>>;
}

/** Path of a model's folder. */
export function decoderFolder(name: string): string {
  return fileURLToPath(new URL(`models/${name}`, import.meta.url));
}

export function readGolden(name: string): DecoderGolden {
  return JSON.parse(readFileSync(`${decoderFolder(name)}/golden.json`, 'utf8')) as DecoderGolden;
}

/** One choice of an answer. */
export interface Answer {
  readonly text: string;
  readonly logprobs: readonly number[];
  /** The likeliest token over the next, in nats. */
  readonly margins: readonly number[];
  readonly finishReason: string | undefined;
}

interface Answers {
  readonly choices: readonly Answer[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

/** Asks greedily, for as many tokens as the golden has. */
export async function ask(
  pipeline: Pipeline<ChatRequest, ChatEvent, ChatModelInfo>,
  { messages, tokens, finishReason }: GoldenConversation,
  options: Partial<ChatRequestInput> = {},
): Promise<Answers> {
  const request = completeChatRequest({
    model: 'model',
    messages,
    temperature: 0,
    repeatPenalty: 1,
    maxTokens: finishReason === 'stop' ? tokens.length + 20 : tokens.length,
    logprobs: true,
    topLogprobs: 2,
    ...options,
  });
  const events: ChatEvent[] = [];
  for await (const event of pipeline.run(request)) events.push(event);
  const usage = events.find((event) => event.type === 'usage')!;
  const choices = Array.from({ length: request.n }, (_, choice): Answer => {
    const own = events.filter((event) => 'choice' in event && event.choice === choice);
    const drawn = own.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []));
    return {
      text: own.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
      logprobs: drawn.map(({ logprob }) => logprob),
      margins: drawn.map(({ topLogprobs }) => marginOf(topLogprobs.map(({ logprob }) => logprob))),
      finishReason: own.find((event) => event.type === 'choice-end')?.finishReason,
    };
  });
  return { choices, ...usage };
}
