import { exactOr } from '../../core/text/exact-json.ts';
import type { ResponseFormat } from '../../core/grammar/constraint.ts';
import { grammarNotation } from '../../core/grammar/notations/grammar-notation.ts';
import type { ChatMessage, MessageContent } from '../../core/chat/messages.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest } from '../../contracts/run.ts';
import { fieldError } from '../../errors.ts';
import { toDialect, toPromptFields } from './dialects.ts';
import type { ApiDialect } from './server.ts';

/** Requests counts with every chunk if the server supports it: a client may leave before the last one. */
const countingFields: Readonly<Record<ApiDialect, Readonly<Record<string, unknown>>>> = {
  openai: { stream_options: { include_usage: true } },
  vllm: { stream_options: { include_usage: true, continuous_usage_stats: true } },
  'llama-server': { stream_options: { include_usage: true }, timings_per_token: true },
  slashv1: { stream_options: { include_usage: true, continuous_usage_stats: true } },
};

/** Converts a chat request to the body of an OpenAI-compatible server, for a streamed answer. */
export function toChatBody(
  request: ChatRequest & CompleteRequest,
  dialect: ApiDialect,
): Record<string, unknown> {
  const { tools, toolChoice, parallelToolCalls, logprobs, topLogprobs } = request;
  const choice =
    typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: { name: toolChoice.name } };
  return {
    ...toConversation(request),
    ...toAnswerFields(request, dialect),
    ...(logprobs ? { logprobs, top_logprobs: topLogprobs } : {}),
    ...(tools.length > 0 && { tool_choice: choice, parallel_tool_calls: parallelToolCalls }),
  };
}

/** The fields that a chat template renders into the prompt. */
export function toConversation({
  messages,
  tools,
}: Pick<ChatRequest, 'messages' | 'tools'>): Record<string, unknown> {
  const functions = tools.map(({ name, description, parameters, parametersText: text, strict }) => {
    const exact = exactOr(parameters, text);
    return { type: 'function', function: { name, description, parameters: exact, strict } };
  });
  return { messages: messages.map(toMessage), ...(tools.length > 0 ? { tools: functions } : {}) };
}

/** The fields of chats and of completions. @throws InferenceError as `toChatBody` */
export function toAnswerFields(
  request: ChatRequest & CompleteRequest,
  dialect: ApiDialect,
): Record<string, unknown> {
  const { stop, seed, n, logitBias } = request;
  return {
    stream: true,
    ...countingFields[dialect],
    ...toDialect(dialect, request),
    ...toPromptFields(dialect, request),
    ...(n > 1 ? { n } : {}),
    ...(seed === undefined ? {} : { seed }),
    ...(stop.length > 0 ? { stop } : {}),
    ...(logitBias.size > 0 ? { logit_bias: Object.fromEntries(logitBias) } : {}),
    ...toResponseFormat(request.responseFormat, dialect),
  };
}

function toMessage(message: ChatMessage<MessageContent>): unknown {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { ...message, content: toContent(message.content) };
    case 'assistant': {
      const { role, content, reasoningContent: reasoning_content, toolCalls } = message;
      const tool_calls = toolCalls?.map(({ id, name, arguments: written }) => {
        return { id, type: 'function', function: { name, arguments: written } };
      });
      return { role, content, reasoning_content, tool_calls };
    }
    case 'tool': {
      const { role, content, toolCallId: tool_call_id, name } = message;
      return { role, content, tool_call_id, name };
    }
  }
}

function toContent(content: MessageContent): unknown {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return part;
    return { type: 'image_url', image_url: { url: toUrl(part.image), detail: part.detail } };
  });
}

/** Servers detect the type of a picture themselves. */
function toUrl(image: string | Uint8Array): string {
  if (typeof image === 'string') return /^[a-z]+:/i.test(image) ? image : `data:image/png;base64,${image}`;
  return `data:image/png;base64,${Buffer.from(image).toString('base64')}`;
}

function toResponseFormat(format: ResponseFormat, dialect: ApiDialect): Record<string, unknown> {
  switch (format.type) {
    case 'text':
      return {};
    case 'json-object':
      return { response_format: { type: 'json_object' } };
    case 'json-schema': {
      const schema = exactOr(format.schema, format.schemaText);
      const json_schema = { name: 'answer', schema, strict: true };
      return { response_format: { type: 'json_schema', json_schema } };
    }
    default:
      return toForeignFormat(format, dialect);
  }
}

type ForeignFormat = Extract<ResponseFormat, { type: 'regex' | 'choice' | 'grammar' }>;

/** Formats outside the OpenAI API. */
function toForeignFormat(format: ForeignFormat, dialect: ApiDialect): Record<string, unknown> {
  if (dialect === 'vllm' || dialect === 'slashv1') {
    const { type, ...fields } = format;
    return { structured_outputs: type === 'choice' ? { choice: format.choices } : fields };
  }
  const gbnf = dialect === 'llama-server' ? gbnfOf(format) : undefined;
  if (gbnf !== undefined) return { grammar: gbnf };
  const kind = format.type === 'grammar' && dialect === 'llama-server' ? 'grammar in Lark' : format.type;
  throw fieldError('response_format', `the server that runs this model takes no ${kind}`);
}

function gbnfOf(format: ForeignFormat): string | undefined {
  if (format.type === 'choice') return gbnfOfChoices(format.choices);
  if (format.type === 'regex') return undefined;
  return grammarNotation(format.grammar) === 'lark' ? undefined : format.grammar;
}

/** GBNF has JSON's escapes except two. */
function gbnfOfChoices(choices: readonly string[]): string {
  const written = choices.map((one) =>
    JSON.stringify(one).replace(/\\[bf\\]/g, (escape) => gbnfEscapes[escape] ?? escape),
  );
  return `root ::= ${written.join(' | ')}`;
}

const gbnfEscapes: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };
