import type { Attributes } from '@opentelemetry/api';
import type { ChatMessage, ToolCall } from '../core/chat/messages.ts';
import type { ObservedRun } from '../engine/observer.ts';
import type { Categories, Category, FinishReason } from '../categories/contract.ts';

type Part =
  | { readonly type: 'text' | 'reasoning'; content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: unknown };

interface Message {
  readonly role: string;
  readonly name?: string | undefined;
  readonly parts: readonly Part[];
}

/** What people wrote, as the conventions write messages. */
export function inputAttributes(run: ObservedRun): Attributes {
  switch (run.category) {
    case 'chat':
      return {
        'gen_ai.input.messages': JSON.stringify(run.request.messages.map(toMessage)),
        'gen_ai.request.stop_sequences': run.request.stop.length === 0 ? undefined : [...run.request.stop],
        'gen_ai.tool.definitions': run.request.tools.length === 0 ? undefined : toolDefinitions(run.request),
      };
    case 'image':
      return written(run.request.prompt);
    case 'speech':
      return written(run.request.input);
    case 'transcription':
      return run.request.prompt === undefined ? {} : written(run.request.prompt);
    case 'embedding':
    case 'detection':
      return {};
  }
}

/** Collects what a model says. */
export interface OutputRecorder {
  push(events: readonly Categories[Category]['event'][]): void;
  attributes(): Attributes;
}

/** Collects the answer of one run. */
export function createOutputRecorder(): OutputRecorder {
  const choices: Choice[] = [];
  const choiceAt = (index: number): Choice =>
    (choices[index] ??= { parts: [], calls: [], finishReason: undefined });
  const append = (index: number, type: 'text' | 'reasoning', content: string): void => {
    const { parts } = choiceAt(index);
    const last = parts.at(-1);
    if (last?.type === type) last.content += content;
    else parts.push({ type, content });
  };
  return {
    push(events) {
      for (const event of events) {
        switch (event.type) {
          case 'text-delta':
            append(event.choice, 'text', event.text);
            break;
          case 'reasoning-delta':
            append(event.choice, 'reasoning', event.text);
            break;
          case 'tool-call-start':
            choiceAt(event.choice).calls[event.call] = { id: event.id, name: event.name, arguments: '' };
            break;
          case 'tool-call-delta': {
            const call = choiceAt(event.choice).calls[event.call];
            if (call) call.arguments += event.arguments;
            break;
          }
          case 'choice-end':
            choiceAt(event.choice).finishReason = event.finishReason;
            break;
          case 'segment':
            append(0, 'text', event.segment.text);
            break;
          case 'transcription-end':
            choiceAt(0).finishReason = 'stop';
        }
      }
    },
    attributes: () =>
      choices.length === 0
        ? {}
        : { 'gen_ai.output.messages': JSON.stringify(choices.filter(Boolean).map(toOutput)) },
  };
}

interface Choice {
  readonly parts: Part[];
  readonly calls: { readonly id: string; readonly name: string; arguments: string }[];
  finishReason: FinishReason | undefined;
}

/** What the conventions call the ends that they know; `error` is one before its time. */
const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_call',
};

function toOutput({ parts, calls, finishReason }: Choice): Message & { readonly finish_reason: string } {
  return {
    role: 'assistant',
    parts: [...parts, ...calls.filter(Boolean).map(toPart)],
    finish_reason: finishReason === undefined ? 'error' : finishReasons[finishReason],
  };
}

function written(content: string): Attributes {
  const message: Message = { role: 'user', parts: [{ type: 'text', content }] };
  return { 'gen_ai.input.messages': JSON.stringify([message]) };
}

function toMessage(message: ChatMessage): Message {
  const { role } = message;
  switch (message.role) {
    case 'tool':
      return {
        role,
        parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }],
      };
    case 'assistant': {
      const { reasoningContent, content, toolCalls = [] } = message;
      const parts: Part[] = [];
      if (reasoningContent) parts.push({ type: 'reasoning', content: reasoningContent });
      if (content) parts.push({ type: 'text', content });
      return { role, parts: [...parts, ...toolCalls.map(toPart)] };
    }
    case 'system':
    case 'user':
      return { role, name: message.name, parts: [{ type: 'text', content: message.content }] };
  }
}

function toPart({ id, name, arguments: given }: ToolCall): Part {
  return { type: 'tool_call', id, name, arguments: parsed(given) };
}

/** What a model wrote need not be JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toolDefinitions({ tools }: Categories['chat']['request']): string {
  return JSON.stringify(
    tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters })),
  );
}
