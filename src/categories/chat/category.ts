import type { CategoryDefinition } from '../../contracts/category.ts';
import type { CallOptions, UsageTally } from '../../contracts/run.ts';
import { estimatePrompt } from '../../core/chat/estimate-prompt.ts';
import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import { isDelta, type ChatEvent, type ChatModelInfo } from './events.ts';
import { chatModels } from './models.ts';
import { chatParameters } from './parameters.ts';
import { completeChatRequest, type ChatRequest, type ChatRequestInput } from './request.ts';
import { chatSettings } from './settings.ts';
import { chatTelemetry } from './telemetry.ts';
import { chatDescriptions } from './wire/descriptions.ts';
import { completions } from './wire/completions/endpoint.ts';
import { chatCompletions } from './wire/chat/endpoint.ts';
import { countTokens } from './wire/messages/endpoint.ts';
import { messagesEndpoint } from './wire/messages/endpoint.ts';
import { responses } from './wire/responses/endpoint.ts';
import { inputTokens } from './wire/responses/endpoint.ts';
import { keptConversations, keptResponses } from './wire/responses/kept-endpoints.ts';
import { detokenize, tokenize } from './wire/tokenization/endpoints.ts';

/** The `usage` event has the exact numbers. */
export function tallyChat(event: ChatEvent, { usage, finishReasons }: UsageTally): void {
  if (isDelta(event)) {
    const { type, tokens = 1 } = event;
    usage.outputTokens = (usage.outputTokens ?? 0) + tokens;
    if (type === 'hidden-tokens' || type === 'reasoning-delta')
      usage.reasoningTokens = (usage.reasoningTokens ?? 0) + tokens;
    return;
  }
  switch (event.type) {
    case 'prompt-start':
    case 'prompt-end':
      usage.inputTokens = event.promptTokens;
      return;
    case 'choice-end':
      finishReasons[event.choice] = event.finishReason;
      return;
    case 'answer-restart':
      delete usage.outputTokens;
      delete usage.reasoningTokens;
      finishReasons.length = 0;
      return;
    case 'usage':
      usage.inputTokens = event.promptTokens;
      usage.cachedTokens = event.cachedTokens;
      usage.outputTokens = event.completionTokens;
      usage.reasoningTokens = event.reasoningTokens;
  }
}

export interface ChatMethods {
  chat(request: ChatRequestInput, options?: CallOptions): AsyncIterable<ChatEvent>;
}

/** Events without visible output. */
const silentEvents: ReadonlySet<string> = new Set(
  'prompt prompt-logprobs prompt-start prompt-end hidden-tokens choice-end usage'.split(' '),
);

export const chatCategory: CategoryDefinition<
  'chat',
  ChatRequestInput,
  ChatRequest,
  ChatEvent,
  ChatModelInfo,
  typeof chatSettings,
  ChatMethods
> = {
  ...chatModels,
  parameters: chatParameters,
  settings: chatSettings,
  descriptions: chatDescriptions,
  endpoints: [
    chatCompletions,
    completions,
    responses,
    inputTokens,
    ...keptResponses,
    ...keptConversations,
    messagesEndpoint,
    countTokens,
    tokenize,
    detokenize,
  ],
  sample: {
    path: 'chat/completions',
    body: { messages: [{ role: 'user', content: 'Describe a scene with two shapes.' }] },
  },
  warmUp: { messages: [{ role: 'user', content: 'Hello.' }], maxTokens: 2 },
  parameterBounds({ contextLength }) {
    const { max, default: defaultTokens } = chatParameters.maxTokens;
    const limit = contextLength || Infinity;
    return { maxTokens: { max: Math.min(max, limit), default: Math.min(defaultTokens, limit) } };
  },
  methods: (run) => ({ chat: run }),
  complete: completeChatRequest,
  estimateTokens(
    { messages, tools = [], prompts = [], suffix = '', maxTokens, n = 1, stopAfter },
    { contextLength, defaults },
  ) {
    // Don't bill tokens that the model never reads.
    if (stopAfter === 'encoding') return { input: 0, output: 0 };
    const limit = maxTokens ?? (defaults?.['maxTokens'] as number | undefined);
    const answer = stopAfter === 'prompt' ? 0 : (limit ?? chatParameters.maxTokens.default);
    const texts = prompts.map((prompt) =>
      typeof prompt === 'string' ? estimateTokens(prompt + suffix) : prompt.length + estimateTokens(suffix),
    );
    return {
      input: estimatePrompt(messages, tools) + texts.reduce((sum, tokens) => sum + tokens, 0),
      output: Math.max(1, prompts.length) * n * Math.min(answer, contextLength || Infinity),
    };
  },
  estimateCost({ n, maxTokens, prompts, stopAfter }) {
    const count = Math.max(1, prompts.length);
    return stopAfter === undefined ? count * n * maxTokens : count;
  },
  isOutput: ({ type }) => !silentEvents.has(type),
  tally: tallyChat,
  telemetry: chatTelemetry,
};
