import type {
  JSONObject,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { isJson } from '../core/text/is-json.ts';
import type { ChatEvent, ChatUsage, FinishReason, TokenLogprobs } from '../categories/chat/events.ts';
import { toWireLogprobs, toWireUsage } from '../categories/chat/wire/to-response.ts';

/** The facts about an answer that are known before it. */
export interface AnswerHead {
  readonly id: string;
  readonly modelId: string;
  readonly timestamp: Date;
  readonly warnings: readonly SharedV4Warning[];
}

/** Turns the events of one answer, in order, into parts of a stream. */
export type PartStreamer = (event: ChatEvent) => LanguageModelV4StreamPart[];

type Block =
  | { readonly type: 'text' | 'reasoning'; readonly id: string }
  | { readonly type: 'tool-input'; readonly id: string; readonly toolName: string; input: string };

const finishReasons = { stop: 'stop', length: 'length', tool_calls: 'tool-calls' } as const;

/** Makes the streamer of one answer. */
export function createPartStreamer({ warnings, ...response }: AnswerHead): PartStreamer {
  let isOpen = false;
  let blocks = 0;
  let block: Block | undefined;
  let end: FinishReason = 'stop';
  const logprobs: TokenLogprobs[] = [];
  const facts: JSONObject = {};

  const open = (more: readonly SharedV4Warning[] = []): LanguageModelV4StreamPart[] => {
    if (isOpen) return [];
    isOpen = true;
    return [
      { type: 'stream-start', warnings: [...warnings, ...more] },
      { type: 'response-metadata', ...response },
    ];
  };
  const close = (): LanguageModelV4StreamPart[] => {
    const last = block;
    block = undefined;
    if (last === undefined) return [];
    const { id } = last;
    if (last.type !== 'tool-input') return [{ type: `${last.type}-end`, id }];
    const { toolName, input } = last;
    // A call that was cut off must not pass for one that can be carried out.
    const call = { type: 'tool-call', toolCallId: id, toolName, input } as const;
    return [{ type: 'tool-input-end', id }, ...(isJson(input) ? [call] : [])];
  };
  const extend = (type: 'text' | 'reasoning', delta: string): LanguageModelV4StreamPart[] => {
    if (block?.type === type) return [{ type: `${type}-delta`, id: block.id, delta }];
    const id = `${type}-${blocks++}`;
    const before = [...open(), ...close()];
    block = { type, id };
    return [...before, { type: `${type}-start`, id }, { type: `${type}-delta`, id, delta }];
  };

  return (event) => {
    switch (event.type) {
      case 'prompt-end':
        return open(warningsOf(event));
      case 'text-delta':
        return extend('text', event.text);
      case 'reasoning-delta':
        return extend('reasoning', event.text);
      case 'tool-call-start': {
        const before = [...open(), ...close()];
        block = { type: 'tool-input', id: event.id, toolName: event.name, input: '' };
        return [...before, { type: 'tool-input-start', id: event.id, toolName: event.name }];
      }
      case 'tool-call-delta':
        if (block?.type !== 'tool-input') return [];
        block.input += event.arguments;
        return [{ type: 'tool-input-delta', id: block.id, delta: event.arguments }];
      case 'logprobs':
        logprobs.push(...event.tokens);
        return [];
      case 'choice-end':
        end = event.finishReason;
        if (event.stopSequence !== undefined) facts['stopSequence'] = event.stopSequence;
        return [...open(), ...close()];
      case 'usage': {
        if (logprobs.length > 0) facts['logprobs'] = toWireLogprobs(logprobs).content;
        const finishReason = { unified: finishReasons[end], raw: end };
        const usage = toUsage(event);
        return [
          ...open(),
          {
            type: 'finish',
            finishReason,
            usage,
            ...(hasKeys(facts) && { providerMetadata: { slashv1: facts } }),
          },
        ];
      }
      default:
        return [];
    }
  };
}

/** The parts of an answer that failed. */
export function failureParts(error: unknown): LanguageModelV4StreamPart[] {
  const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const usage = {
    inputTokens: unknown,
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
  return [
    { type: 'error', error },
    { type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage },
  ];
}

/** All events of an answer → its content. A call that the limit cut off is left out. */
export function toResult(events: readonly ChatEvent[], head: AnswerHead): LanguageModelV4GenerateResult {
  const { id, modelId, timestamp } = head;
  const content: LanguageModelV4Content[] = [];
  const result = { content, response: { id, modelId, timestamp } };
  let warnings = head.warnings;
  let finish: Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage' | 'providerMetadata'> | undefined;
  for (const part of events.flatMap(createPartStreamer(head))) {
    const last = content.at(-1);
    switch (part.type) {
      case 'stream-start':
        ({ warnings } = part);
        break;
      case 'text-start':
      case 'reasoning-start':
        content.push({ type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' });
        break;
      case 'text-delta':
      case 'reasoning-delta':
        if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta;
        break;
      case 'tool-call':
        content.push(part);
        break;
      case 'finish': {
        const { type: _, ...rest } = part;
        finish = rest;
      }
    }
  }
  return { ...result, ...finish!, warnings: [...warnings] };
}

function warningsOf({
  toolsUsed,
  turnsMerged,
}: Extract<ChatEvent, { type: 'prompt-end' }>): SharedV4Warning[] {
  const messages = [
    toolsUsed && `The model's chat template doesn't take all tools. It was shown: ${toolsUsed.join(', ')}.`,
    turnsMerged &&
      `The model's chat template has no place for some turns, which became parts of others: ${turnsMerged.join(', ')}.`,
  ];
  return messages.flatMap((message) => (message === undefined ? [] : [{ type: 'other', message }]));
}

function hasKeys(object: object): boolean {
  return Object.keys(object).length > 0;
}

function toUsage(usage: ChatUsage): LanguageModelV4Usage {
  const { promptTokens: total, cachedTokens, completionTokens, reasoningTokens: reasoning } = usage;
  return {
    inputTokens: { total, noCache: total - cachedTokens, cacheRead: cachedTokens, cacheWrite: undefined },
    outputTokens: { total: completionTokens, text: completionTokens - reasoning, reasoning },
    raw: toWireUsage(usage),
  };
}
