import type {
  ChatMessage,
  ContentPart,
  MessageContent,
  TextPart,
  ToolDefinition,
} from '../../../core/chat/messages.ts';
import { exactTextOf } from '../../../http/exact-texts.ts';
import { maxArgumentValues } from '../../../core/text/bounded-json.ts';
import { chatParameters, type ChatParameters } from '../parameters.ts';
import { fieldError } from '../../../errors.ts';
import type { ChatRequestInput } from '../request.ts';
import { mapEach } from '../../../validation/in-pieces.ts';
import { countArguments } from '../../../validation/json-text.ts';
import { parseBody } from '../../../validation/issues.ts';
import { fieldReader } from '../../../validation/parameter-schema.ts';
import { toAnswerFormat } from './answer-format.ts';
import { chatRequestSchema, type ChatRequestBody } from './schema.ts';
import { readForeign } from '../../../validation/foreign-fields.ts';
import { foreignFields } from './foreign-fields.ts';
import { quote } from '../../../core/text/quote.ts';

/** The parsed request and the form of its delivery. */
export interface ChatCall extends ReturnType<typeof deliveryOf> {
  readonly model: string;
  readonly request: ChatRequestInput;
  /** The field that the format of the answer came from, for errors. */
  readonly formatField: string;
}

type MessageBody = ChatRequestBody['messages'][number];

/** Reads the fields that are here as they are on the wire, but for the spelling of their names. */
export const readFields = fieldReader<ChatRequestInput>([
  ...(Object.keys(chatParameters) as (keyof ChatParameters)[]),
  'parallelToolCalls',
  'stop',
  'logitBias',
  'stopTokenIds',
  'allowedTokenIds',
  'documents',
  'chatTemplateKwargs',
]);

/**
 * A request body of `POST /chat/completions` → what the inference takes.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the place of the first fault as `param`
 *
 * @example
 * ```ts
 * fromChatRequest({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }], top_k: 40 }).request.topK; // 40
 * ```
 */
export function fromChatRequest(body: unknown): ChatCall {
  return readForeign(foreignFields, body, readChatRequest);
}

function readChatRequest(body: unknown, nameOf: (field: string) => string): ChatCall {
  const parsed = parseBody(chatRequestSchema, body);
  assertFewArguments(parsed.messages);
  const { responseFormat, formatField } = toAnswerFormat(parsed);
  const maxTokens = valueOfBoth(parsed, 'max_tokens', 'max_completion_tokens');
  const request: ChatRequestInput = {
    ...readFields(parsed),
    model: parsed.model,
    messages: mapEach(parsed.messages, toMessage),
    ...toToolUse(toTools(parsed.tools ?? []), parsed.tool_choice),
    responseFormat,
    ...(maxTokens != null && { maxTokens }),
    ...continuationOf(parsed.messages),
  };
  return { model: parsed.model, request, formatField: nameOf(formatField), ...deliveryOf(parsed) };
}

/** The form in which an answer is delivered. */
export function deliveryOf({
  stream,
  stream_options: options,
}: Pick<ChatRequestBody, 'stream' | 'stream_options'>) {
  if (options && !stream)
    throw fieldError('stream_options', 'expected `stream` to be true where it is given');
  return {
    stream: stream ?? false,
    includeUsage: options?.include_usage ?? false,
    /** Whether every chunk has the usage of its choice so far. */
    continuousUsage: options?.continuous_usage_stats ?? false,
  };
}

/** The value of a field that has two names. @throws InferenceError where both have one, and the second another */
export function valueOfBoth<Body, Name extends keyof Body & string>(
  body: Body,
  name: Name,
  other: Name,
): Body[Name] {
  const [value, second] = [body[name], body[other]];
  if (value != null && second != null && value !== second)
    throw fieldError(other, `expected the value of ${name}, ${value}, got ${second}`);
  return value ?? second;
}

/** A message that the answer continues, as other servers mark it. */
function continuationOf(messages: readonly MessageBody[]): Pick<ChatRequestInput, 'continueFinalMessage'> {
  const index = messages.findIndex((message) => message.role === 'assistant' && message.prefix === true);
  if (index < 0) return {};
  if (index < messages.length - 1)
    throw fieldError(`messages[${index}].prefix`, 'expected it of the last message alone');
  return { continueFinalMessage: true };
}

/** The worker parses the arguments of all calls: each text is small enough, all together may be too many. */
function assertFewArguments(messages: readonly MessageBody[]): void {
  const counts = mapEach(messages, (message) => {
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    const ofCalls = calls.map(({ function: { arguments: text } }) => countArguments(text));
    return ofCalls.reduce((sum, { counter }) => sum + counter.values, 0);
  });
  let sum = 0;
  const index = counts.findIndex((values) => (sum += values) > maxArgumentValues);
  if (index < 0) return;
  const reason = `expected at most ${maxArgumentValues} values in the arguments of all calls`;
  throw fieldError(`messages[${index}].tool_calls`, reason);
}

function toMessage(message: MessageBody, index: number): ChatMessage<MessageContent> {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: message.content, name: message.name ?? undefined };
    case 'user':
      return { role: 'user', content: toContent(message.content), name: message.name ?? undefined };
    case 'assistant': {
      const toolCalls = message.tool_calls?.map((call) => ({ id: call.id, ...call.function }));
      const content = toAnswer(message.content) ?? message.refusal ?? null;
      if (content === null && !toolCalls?.length) {
        const reason = 'expected text where there are no tool calls, got nothing';
        throw fieldError(`messages[${index}].content`, reason);
      }
      return {
        role: 'assistant',
        content,
        reasoningContent: message.reasoning_content ?? message.reasoning ?? undefined,
        toolCalls: toolCalls?.length ? toolCalls : undefined,
      };
    }
    case 'tool': {
      const { content, tool_call_id: toolCallId, name } = message;
      return { role: 'tool', content, toolCallId, name: name ?? undefined };
    }
  }
}

function toAnswer(content: Extract<MessageBody, { role: 'assistant' }>['content']) {
  if (typeof content === 'string') return content;
  return content?.map((part): TextPart => {
    return part.type === 'text' ? part : { type: 'text', text: part.refusal };
  });
}

function toContent(content: Extract<MessageBody, { role: 'user' }>['content']): MessageContent {
  if (typeof content === 'string') return content;
  return content.map((part): ContentPart => {
    if (part.type === 'text') return part;
    const { url, detail } = part.image_url;
    return { type: 'image', image: url, detail: detail ?? undefined };
  });
}

function toTools(tools: NonNullable<ChatRequestBody['tools']>): ToolDefinition[] {
  const names = new Set<string>();
  return tools.map(({ function: { name, description, parameters, strict } }, index) => {
    if (names.has(name))
      throw fieldError(`tools[${index}].function.name`, `expected every name once, got ${quote(name)} again`);
    names.add(name);
    return {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      parametersText: exactTextOf(parameters),
      strict: strict ?? undefined,
    };
  });
}

/** The tools that the model is shown, and whether it has to call one. */
function toToolUse(
  tools: readonly ToolDefinition[],
  choice: ChatRequestBody['tool_choice'],
): Pick<ChatRequestInput, 'tools' | 'toolChoice'> {
  if (typeof choice !== 'object' || choice === null) return { tools, toolChoice: choice ?? undefined };
  if (choice.type === 'function') return { tools, toolChoice: { name: choice.function.name } };
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = new Set(allowed.map((tool) => tool.function.name));
  const unknown = [...names].find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw fieldError('tool_choice', `expected names of \`tools\`, got ${quote(unknown)}`);
  return { tools: tools.filter(({ name }) => names.has(name)), toolChoice: mode };
}
