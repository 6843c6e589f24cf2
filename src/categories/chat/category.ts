import { estimatePrompt } from '../../core/chat/estimate-prompt.ts';
import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import type { ParameterBounds } from '../../contracts/model.ts';
import { appendEvent } from './append-event.ts';
import type { ChatEvent, ChatModelInfo } from './events.ts';
import { chatFiles } from './files.ts';
import { chatParameters } from './parameters.ts';
import { completeChatRequest, type ChatRequest, type ChatRequestInput } from './request.ts';
import { chatSettings } from './settings.ts';
import { tallyChat } from './tally.ts';
import { chatTelemetry } from './telemetry.ts';
import { completions } from './wire/completions/endpoint.ts';
import { chatCompletions } from './wire/endpoint.ts';
import { countTokens } from './wire/messages/count-tokens.ts';
import { messagesEndpoint } from './wire/messages/endpoint.ts';
import { responses } from './wire/responses/endpoint.ts';
import { detokenize, tokenize } from './wire/tokenization/endpoints.ts';
import { inputTokens } from './wire/responses/input-tokens.ts';
import { keptResponses } from './wire/responses/kept-endpoints.ts';

/** The in-process functions for chat. */
export interface ChatMethods {
  /** One chat request as a stream of events. */
  chat(request: ChatRequestInput, options?: CallOptions): AsyncIterable<ChatEvent>;
}

/** Chat: a conversation goes in, an answer with tool calls and reasoning comes out. */
export const chatCategory: CategoryDefinition<
  'chat',
  ChatRequestInput,
  ChatRequest,
  ChatEvent,
  ChatModelInfo,
  typeof chatSettings,
  ChatMethods
> = {
  name: 'chat',
  parameters: chatParameters,
  settings: chatSettings,
  files: chatFiles,
  endpoints: [
    chatCompletions,
    completions,
    responses,
    inputTokens,
    ...keptResponses,
    messagesEndpoint,
    countTokens,
    tokenize,
    detokenize,
  ],
  sample: {
    path: 'chat/completions',
    body: { messages: [{ role: 'user', content: 'Describe a scene with two shapes.' }] },
  },
  isStateless: false,
  parameterBounds: ({ contextLength }) => ({ maxTokens: boundsOfMaxTokens(contextLength) }),
  recognize: ({ config: { architectures } }) =>
    Array.isArray(architectures) &&
    architectures.some((name) => /(?:ForCausalLM|LMHeadModel|ForConditionalGeneration)$/.test(String(name))),
  methods: (run) => ({ chat: run }),
  complete: completeChatRequest,
  estimateTokens(
    { messages, tools = [], prompts = [], suffix = '', maxTokens, n = 1, stopAfter },
    { contextLength, defaults },
  ) {
    // Nobody pays for tokens that no model reads.
    if (stopAfter === 'encoding') return { input: 0, output: 0 };
    const most = maxTokens ?? (defaults?.['maxTokens'] as number | undefined);
    const answer = stopAfter === 'prompt' ? 0 : (most ?? chatParameters.maxTokens.default);
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
  isOutput: ({ type }) =>
    ![
      'prompt',
      'prompt-logprobs',
      'prompt-start',
      'prompt-end',
      'hidden-tokens',
      'choice-end',
      'usage',
    ].includes(type),
  tally: tallyChat,
  append: appendEvent,
  telemetry: chatTelemetry,
};

/** No more tokens than fit into the context. */
function boundsOfMaxTokens(contextLength: number): ParameterBounds {
  const { max, default: byDefault } = chatParameters.maxTokens;
  const most = contextLength === 0 ? Infinity : contextLength;
  return { max: Math.min(max, most), default: Math.min(byDefault, most) };
}
