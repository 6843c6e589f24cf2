import type { ChatMessage, ContentPart, MessageContent, TextPart } from '../../../../core/chat/messages.ts';
import { fieldError } from '../../../../errors.ts';
import { mapEach } from '../../../../validation/in-pieces.ts';
import { parseBody } from '../../../../validation/issues.ts';
import { readForeign } from '../../../../validation/foreign-fields.ts';
import type { ChatRequestInput } from '../../request.ts';
import { toAnswerFormat } from '../answer-format.ts';
import { createFieldMap, formatPlace, type FieldMap } from '../field-map.ts';
import { foreignFields } from './foreign-fields.ts';
import {
  assertFewArguments,
  deliveryOf,
  readFields,
  toToolUse,
  valueOfBoth,
  type ToolSelection,
} from '../request-parts.ts';
import { chatRequestSchema, type ChatRequestBody } from './schema.ts';

/** The parsed request and its delivery options. */
export interface ChatCall extends ReturnType<typeof deliveryOf> {
  readonly model: string;
  readonly request: ChatRequestInput;
  readonly fieldOf: FieldMap;
}

type MessageBody = ChatRequestBody['messages'][number];

/**
 * A request body of `POST /chat/completions` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the first invalid field as `param`
 * @example
 * ```ts
 * fromChatRequest({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }], top_k: 40 }).request.topK; // 40
 * ```
 */
export function fromChatRequest(body: unknown): ChatCall {
  return readForeign(foreignFields, body, (own, nameOf) => {
    const parsed = parseBody(chatRequestSchema, own);
    const { request, formatField } = toChatRequest(parsed);
    const fieldOf = (field: string): string => nameOf(createFieldMap([formatPlace(formatField)])(field));
    return { model: parsed.model, request, fieldOf, ...deliveryOf(parsed) };
  });
}

export function toChatRequest(parsed: ChatRequestBody) {
  const { responseFormat, formatField } = toAnswerFormat(parsed);
  const maxTokens = valueOfBoth(parsed, 'max_tokens', 'max_completion_tokens');
  const messages = mapEach(parsed.messages, toMessage);
  assertFewArguments(messages);
  const functions = (parsed.tools ?? []).map((tool) => tool.function);
  const request: ChatRequestInput = {
    ...readFields(parsed),
    model: parsed.model,
    messages,
    ...toToolUse(functions, toSelection(parsed.tool_choice)),
    responseFormat,
    ...(maxTokens != null && { maxTokens }),
    ...continuationOf(parsed.messages),
  };
  return { request, formatField };
}

/** `prefix: true` on the final message is DeepSeek's and Mistral's way to continue it. */
function continuationOf(messages: readonly MessageBody[]): Pick<ChatRequestInput, 'continueFinalMessage'> {
  const index = messages.findIndex((message) => message.role === 'assistant' && message.prefix === true);
  if (index < 0) return {};
  if (index < messages.length - 1)
    throw fieldError(`messages[${index}].prefix`, 'expected it only on the last message');
  return { continueFinalMessage: true };
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
        const reason = 'expected text without tool calls, got nothing';
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

function toSelection(choice: ChatRequestBody['tool_choice']): ToolSelection {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'function') return { name: choice.function.name };
  const { mode, tools } = choice.allowed_tools;
  return { mode, names: tools.map((tool) => tool.function.name) };
}
