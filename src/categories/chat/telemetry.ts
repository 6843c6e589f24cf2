import { maxArgumentValues, parseBounded } from '../../core/text/bounded-json.ts';
import { toTextMessage, type ChatMessage, type ToolCall } from '../../core/chat/messages.ts';
import { orElse } from '../../errors.ts';
import type { CategoryTelemetry, OutputRecorder } from '../../contracts/telemetry.ts';
import type { MessagePart, SpanMessage } from '../telemetry-messages.ts';
import { collectChoice, type CollectedChoice } from './collect-choices.ts';
import type { ChatEvent, FinishReason } from './events.ts';
import type { ChatRequest } from './request.ts';

export const chatTelemetry: CategoryTelemetry<ChatRequest, ChatEvent> = {
  operation: 'chat',
  attributes: (request) => ({
    'gen_ai.output.type': request.responseFormat.type.startsWith('json') ? 'json' : 'text',
    'gen_ai.request.max_tokens': request.maxTokens,
    'gen_ai.request.temperature': request.temperature,
    'gen_ai.request.top_p': request.topP,
    'gen_ai.request.top_k': request.topK,
    'gen_ai.request.frequency_penalty': request.frequencyPenalty,
    'gen_ai.request.presence_penalty': request.presencePenalty,
    'gen_ai.request.seed': request.seed,
    'gen_ai.request.choice.count': request.n === 1 ? undefined : request.n,
  }),
  content({ messages, prompts, stop, tools }) {
    const texts = prompts.map((prompt) => (typeof prompt === 'string' ? prompt : JSON.stringify(prompt)));
    const users = texts.map((content): ChatMessage => ({ role: 'user', content }));
    const defined = tools.map(({ name, description, parameters }) => {
      return { type: 'function', name, description, parameters };
    });
    return {
      'gen_ai.input.messages': JSON.stringify([...messages.map(toTextMessage), ...users].map(toMessage)),
      'gen_ai.request.stop_sequences': stop.length === 0 ? undefined : [...stop],
      'gen_ai.tool.definitions': defined.length === 0 ? undefined : JSON.stringify(defined),
    };
  },
  advice({ maxTokens, n, given }, { usage: { outputTokens = 0 }, finishReasons }) {
    if (!finishReasons.includes('length') || given?.includes('maxTokens') !== false) return undefined;
    // Otherwise the context or an upstream server's limit ended it.
    if (outputTokens < maxTokens || outputTokens > n * maxTokens) return undefined;
    return `an answer ended at the default limit of ${maxTokens} tokens: requests raise it by max_tokens, the model by defaults: { maxTokens }`;
  },
  createRecorder: createChatRecorder,
};

function createChatRecorder(): OutputRecorder<ChatEvent> {
  const choices: CollectedChoice[] = [];
  return {
    push(event) {
      if (event.type !== 'logprobs') collectChoice(choices, event);
    },
    attributes: () =>
      choices.length === 0
        ? {}
        : { 'gen_ai.output.messages': JSON.stringify(choices.filter(Boolean).map(toOutput)) },
  };
}

/** Finish reasons as the OpenTelemetry conventions spell them; `error` means an early end. */
const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_call',
};

function toOutput(choice: CollectedChoice): SpanMessage & { readonly finish_reason: string } {
  const { parts, calls, finishReason } = choice;
  return {
    role: 'assistant',
    parts: [...parts, ...calls.filter(Boolean).map(toPart)],
    finish_reason: finishReason === undefined ? 'error' : finishReasons[finishReason],
  };
}

function toMessage(message: ChatMessage): SpanMessage {
  const { role } = message;
  switch (message.role) {
    case 'tool':
      return {
        role,
        parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }],
      };
    case 'assistant': {
      const { reasoningContent, content, toolCalls = [] } = message;
      const parts: MessagePart[] = [];
      if (reasoningContent) parts.push({ type: 'reasoning', content: reasoningContent });
      if (content) parts.push({ type: 'text', content });
      return { role, parts: [...parts, ...toolCalls.map(toPart)] };
    }
    case 'system':
    case 'user':
      return { role, name: message.name, parts: [{ type: 'text', content: message.content }] };
  }
}

function toPart({ id, name, arguments: given }: ToolCall): MessagePart {
  // A model may write invalid JSON.
  const parsed = orElse(() => parseBounded(given, { values: maxArgumentValues }), given);
  return { type: 'tool_call', id, name, arguments: parsed };
}
