import { fieldError } from '../../../../errors.ts';
import { parseBody } from '../../../../validation/issues.ts';
import type { ChatRequestInput } from '../../request.ts';
import { inPieces } from '../../../../validation/in-pieces.ts';
import { fromChatRequest } from '../from-request.ts';
import type { ChatRequestBody } from '../schema.ts';
import { toResponsesError } from './field-names.ts';
import { responsesRequestSchema, type ResponsesRequestBody } from './schema.ts';
import { assertNoneOf, notOffered, type UnsupportedFields } from '../../../../validation/unsupported.ts';
import { unsupportedFields as ofChatCompletions } from '../unsupported.ts';

const notStored = 'nothing is stored: send the whole conversation as `input`';
const isFalse = (value: unknown): boolean => value === false;
const isOne = (value: unknown): boolean => value === 1;

/** The Responses API has a field `reasoning` of its own. */
const { reasoning: _, ...ofChat } = ofChatCompletions;

/** Fields that would change the answer and that are not honoured: those of chat completions and of stored state. */
const unsupportedFields: UnsupportedFields = {
  ...ofChat,
  previous_response_id: { advice: notStored },
  conversation: { advice: notStored },
  store: { harmless: isFalse, advice: notStored },
  background: { harmless: isFalse, advice: 'nothing is stored: use `stream`' },
  prompt: { advice: 'use `instructions` and `input`' },
  truncation: { harmless: (value: unknown) => value === 'disabled', advice: 'only disabled is offered' },
  context_management: notOffered,
  moderation: notOffered,
  messages: { advice: 'use `input`' },
  max_tokens: { advice: 'use `max_output_tokens`' },
  max_completion_tokens: { advice: 'use `max_output_tokens`' },
  response_format: { advice: 'use `text.format`' },
  reasoning_effort: { advice: 'use `reasoning.effort`' },
  verbosity: { advice: 'use `text.verbosity`' },
  n: { harmless: isOne, advice: 'a response has one answer' },
  logprobs: { harmless: isFalse, advice: 'use `include` with message.output_text.logprobs' },
};

/** The parsed request without the form of its delivery. */
export interface ResponsesCall {
  readonly model: string;
  readonly request: ChatRequestInput;
  readonly stream: boolean;
  /** The field that each message of the request came from, for errors. */
  readonly places: readonly string[];
  /** The response repeats parts of it. */
  readonly body: ResponsesRequestBody;
}

type MessageBody = ChatRequestBody['messages'][number];
type AssistantBody = Extract<MessageBody, { role: 'assistant' }>;
type Item = Exclude<ResponsesRequestBody['input'], string>[number];
type Content = Extract<Item, { role: string }>['content'];

/**
 * A request body of `POST /responses` → what the inference takes. The body becomes that of a chat completion.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the place of the first fault as `param`
 *
 * @example
 * ```ts
 * fromResponsesRequest({ model: 'tiny-chat', input: 'Hello', top_k: 40 }).request.topK; // 40
 * ```
 */
export function fromResponsesRequest(body: unknown): ResponsesCall {
  const parsed = parse(body);
  return toCall(parsed, toChatBody(parsed));
}

/** `fromResponsesRequest` that lets others run within and between its two checks. */
export async function readResponsesRequest(body: unknown): Promise<ResponsesCall> {
  const parsed = await inPieces(() => parse(body));
  const conversation = toChatBody(parsed);
  return inPieces(() => toCall(parsed, conversation));
}

function parse(body: unknown): ResponsesRequestBody {
  assertNoneOf(unsupportedFields, body);
  return parseBody(responsesRequestSchema, body);
}

interface ChatConversation extends Pick<ResponsesCall, 'places'> {
  readonly chatBody: object;
}

function toChatBody(parsed: ResponsesRequestBody): ChatConversation {
  const { input, instructions, max_output_tokens, tools, tool_choice, text, reasoning, include, ...common } =
    parsed;
  const { messages, places } = toMessages(input, instructions);
  const logprobs = include?.includes('message.output_text.logprobs') || (parsed.top_logprobs ?? 0) > 0;
  const chatBody = {
    ...common,
    messages,
    max_tokens: max_output_tokens,
    tools: tools?.map(({ type, ...tool }) => ({ type, function: tool })),
    tool_choice: toToolChoice(tool_choice),
    response_format: toResponseFormat(text?.format),
    reasoning_effort: reasoning?.effort,
    verbosity: text?.verbosity,
    logprobs,
  };
  return { chatBody, places };
}

function toCall(parsed: ResponsesRequestBody, { chatBody, places }: ChatConversation): ResponsesCall {
  try {
    const { model, request, stream } = fromChatRequest(chatBody);
    return { model, request, stream, places, body: parsed };
  } catch (error) {
    throw toResponsesError(error, places);
  }
}

interface Conversation {
  readonly messages: MessageBody[];
  /** The field that each message came from. */
  readonly places: string[];
}

/** Calls and reasoning, which are items of their own, become parts of the assistant's messages. */
function toMessages(input: ResponsesRequestBody['input'], instructions?: string | null): Conversation {
  const messages: MessageBody[] = [];
  const places: string[] = [];
  const add = (message: MessageBody, place: string): void => {
    messages.push(message);
    places.push(place);
  };
  if (instructions != null) add({ role: 'system', content: instructions }, 'instructions');
  if (typeof input === 'string') {
    add({ role: 'user', content: input }, 'input');
    return { messages, places };
  }
  let reasoning: string | undefined;
  for (const [index, item] of input.entries()) {
    const place = `input[${index}]`;
    if (item.type === 'reasoning') {
      reasoning = (item.content ?? []).map((part) => part.text).join('\n');
      continue;
    }
    const last = messages.at(-1);
    const isCallOfLast = item.type === 'function_call' && last?.role === 'assistant';
    if (isCallOfLast && (reasoning === undefined || last.tool_calls)) {
      (last.tool_calls ??= []).push(toToolCall(item));
      if (reasoning !== undefined) last.reasoning_content = `${last.reasoning_content ?? ''}${reasoning}`;
      reasoning = undefined;
      continue;
    }
    add(toMessage(item, reasoning), place);
    reasoning = undefined;
  }
  if (messages.length === 0) throw fieldError('input', 'expected a message');
  return { messages, places };
}

function toMessage(item: Exclude<Item, { type: 'reasoning' }>, reasoning: string | undefined): MessageBody {
  if (item.type === 'function_call_output')
    return { role: 'tool', content: toContent(item.output), tool_call_id: item.call_id };
  const thoughts = reasoning === undefined ? {} : { reasoning_content: reasoning };
  if (item.type === 'function_call') {
    return { role: 'assistant', content: null, tool_calls: [toToolCall(item)], ...thoughts };
  }
  const itsContent = toContent(item.content);
  if (item.role === 'assistant') return { role: item.role, content: itsContent, ...thoughts };
  return { role: item.role, content: itsContent };
}

type Part = Exclude<Content, string>[number];

function toContent(content: Content): NonNullable<AssistantBody['content']> {
  // Only users' messages may hold pictures; the schema of a chat completion refuses others, by their place.
  return (typeof content === 'string' ? content : content.map(toPart)) as NonNullable<
    AssistantBody['content']
  >;
}

function toPart(part: Part): unknown {
  if (part.type === 'input_image')
    return { type: 'image_url', image_url: { url: part.image_url, detail: part.detail } };
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}

function toToolCall(
  item: Extract<Item, { type: 'function_call' }>,
): NonNullable<AssistantBody['tool_calls']>[number] {
  return { id: item.call_id, type: 'function', function: { name: item.name, arguments: item.arguments } };
}

function toToolChoice(choice: ResponsesRequestBody['tool_choice']): ChatRequestBody['tool_choice'] {
  return choice != null && typeof choice === 'object'
    ? { type: 'function', function: { name: choice.name } }
    : choice;
}

function toResponseFormat(
  format: NonNullable<ResponsesRequestBody['text']>['format'],
): ChatRequestBody['response_format'] {
  return format?.type === 'json_schema' ? { type: format.type, json_schema: format } : format;
}
