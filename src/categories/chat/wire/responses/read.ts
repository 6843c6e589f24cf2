import type { CallerState } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import type { ChatMessage, ContentPart, MessageContent, ToolCall } from '../../../../core/chat/messages.ts';
import { fieldError, unsupportedError } from '../../../../errors.ts';
import { parseBody } from '../../../../validation/issues.ts';
import type { ChatRequestInput } from '../../request.ts';
import { toAnswerFormat } from '../answer-format.ts';
import { createFieldMap, formatPlace, inFields, messagePlaces } from '../field-map.ts';
import type { ChatCall } from '../chat/read.ts';
import { assertFewArguments, readFields, toToolUse } from '../request-parts.ts';
import {
  assertRecallsNothing,
  conversationOf,
  nothingRecalled,
  recall,
  type PlacedItem,
  type Recalled,
} from './conversation.ts';
import type { Keeping } from './kept-response.ts';
import { responsesRequestSchema, type ConversationItem, type ResponsesRequestBody } from './schema.ts';
import { shownName, showTools, toSelection, type ShownTools } from './tools.ts';
import {
  foreignTo,
  harmless,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../../validation/foreign-fields.ts';
import { foreignFields } from '../chat/foreign-fields.ts';

/** Fields of chat completions and of stored state. */
export const responsesForeignFields: ForeignFields = {
  ...foreignTo(responsesRequestSchema, foreignFields),
  n_predict: { as: 'max_output_tokens' },
  num_predict: { as: 'max_output_tokens' },
  max_new_tokens: { as: 'max_output_tokens' },
  format: { advice: 'use `text.format`' },
  think: { advice: 'use `enable_thinking` or `reasoning.effort`' },
  prompt: { advice: 'use `instructions` and `input`' },
  truncation: { ...harmless('disabled'), advice: 'only disabled is offered' },
  context_management: notOffered,
  moderation: notOffered,
  messages: { advice: 'use `input`' },
  max_tokens: { as: 'max_output_tokens' },
  max_completion_tokens: { as: 'max_output_tokens' },
  response_format: { advice: 'use `text.format`' },
  reasoning_effort: { advice: 'use `reasoning.effort`' },
  verbosity: { advice: 'use `text.verbosity`' },
  n: { ...harmless(1), advice: 'a response has one answer' },
  logprobs: { ...harmless(false), advice: 'use `include` with message.output_text.logprobs' },
};

/** The parsed request, without delivery options. */
export interface ResponsesCall extends Keeping, Pick<ChatCall, 'model' | 'request' | 'stream' | 'fieldOf'> {
  readonly tools: ShownTools;
  /** The response repeats parts of it. */
  readonly body: ResponsesRequestBody;
}

/** A message that later items may extend. */
type Message =
  | Exclude<ChatMessage<MessageContent>, { role: 'assistant' }>
  | {
      readonly role: 'assistant';
      readonly content: MessageContent | null;
      reasoningContent?: string;
      toolCalls?: ToolCall[];
    };
type Content = Extract<ConversationItem, { role: string }>['content'];

/**
 * A request body of `POST /responses` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the first invalid field as `param`
 * @example
 * ```ts
 * fromResponsesRequest({ model: 'tiny-chat', input: 'Hello', top_k: 40 }).request.topK; // 40
 * ```
 */
export function fromResponsesRequest(body: unknown): ResponsesCall {
  const parsed = parse(body);
  assertRecallsNothing(parsed);
  const items = conversationOf(parsed, nothingRecalled, () => undefined);
  return toCall(parsed, items, { store: false, recalled: nothingRecalled });
}

/** Uses stored responses; yields during and between its two checks. */
export async function readResponsesRequest(
  body: unknown,
  caller: CallerState,
  budget: RequestBudget,
): Promise<ResponsesCall> {
  const parsed = await budget.pieces(() => parse(body));
  if (parsed.background === true) assertMayRunOn(parsed);
  const recalled = await recall(parsed, caller, budget);
  await budget.pause();
  const items = conversationOf(parsed, recalled, caller.unseal);
  const store = parsed.store ?? caller.kept !== undefined;
  return budget.pieces(() => toCall(parsed, items, { store, recalled }));
}

function parse(body: unknown): ResponsesRequestBody {
  return readForeign(responsesForeignFields, body, (own) => parseBody(responsesRequestSchema, own));
}

function assertMayRunOn({ stream, store }: ResponsesRequestBody): void {
  if (stream === true) {
    const advice =
      'not supported with `background`, use `GET /v1/responses/{id}` until the response has ended';
    throw unsupportedError('stream', advice);
  }
  if (store === false) throw fieldError('store', 'expected true, which `background` needs, got false');
}

const fieldRules = [
  [/^tools\[(\d+)\]\.function\b/, 'tools[$1]'],
  [/^max_tokens\b/, 'max_output_tokens'],
  [/^reasoning_effort\b/, 'reasoning.effort'],
] as const;

function toCall(
  parsed: ResponsesRequestBody,
  placed: readonly PlacedItem[],
  { store, recalled }: { readonly store: boolean; readonly recalled: Recalled },
): ResponsesCall {
  const { model, text, include, max_output_tokens: maxTokens, reasoning } = parsed;
  const { messages, places } = toMessages(placed, parsed.instructions);
  const tools = showTools(parsed.tools ?? []);
  const format = text?.format;
  const { responseFormat, formatField } = toAnswerFormat({
    ...parsed,
    response_format: format?.type === 'json_schema' ? { type: 'json_schema', json_schema: format } : format,
  });
  const fieldOf = createFieldMap([
    ...fieldRules,
    formatPlace(formatField, 'text.format'),
    messagePlaces(places, 'input'),
  ]);
  if (text?.verbosity != null && text.verbosity !== 'medium')
    throw unsupportedError('text.verbosity', 'not supported, this feature is not offered');
  const logprobs = include?.includes('message.output_text.logprobs') || (parsed.top_logprobs ?? 0) > 0;
  const request: ChatRequestInput = {
    ...readFields(parsed),
    model,
    messages,
    ...inFields(fieldOf, () => toToolUse(tools.functions, toSelection(parsed.tool_choice))),
    responseFormat,
    logprobs,
    ...(maxTokens != null && { maxTokens }),
    ...(reasoning?.effort != null && { reasoningEffort: reasoning.effort }),
  };
  inFields(fieldOf, () => assertFewArguments(messages));
  const items = placed.slice(recalled.items.length).map(({ item }) => item);
  const kept = { items, before: recalled.before, store };
  return { model, request, stream: parsed.stream ?? false, fieldOf, tools, ...kept, body: parsed };
}

/** Calls and reasoning, separate items here, are parts of assistant messages. */
function toMessages(items: readonly PlacedItem[], instructions?: string | null) {
  const messages: Message[] = [];
  const places: string[] = [];
  const add = (message: Message, place: string): void => {
    messages.push(message);
    places.push(place);
  };
  if (instructions != null) add({ role: 'system', content: instructions }, 'instructions');
  let reasoning: string | undefined;
  // A call result is text only: its images follow in a message after all results of the turn.
  let pictures: { part: ContentPart; place: string }[] = [];
  const addPictures = (): void => {
    const [first] = pictures;
    if (first) add({ role: 'user', content: pictures.map(({ part }) => part) }, first.place);
    pictures = [];
  };
  for (const { item, place } of items) {
    if (item.type !== 'function_call_output') addPictures();
    if (item.type === 'reasoning') {
      reasoning = (item.content ?? []).map((part) => part.text).join('\n');
      continue;
    }
    const last = messages.at(-1);
    const isCallOfLast = item.type === 'function_call' && last?.role === 'assistant';
    if (isCallOfLast && (reasoning === undefined || last.toolCalls)) {
      (last.toolCalls ??= []).push(toToolCall(item));
      if (reasoning !== undefined) last.reasoningContent = `${last.reasoningContent ?? ''}${reasoning}`;
      reasoning = undefined;
      continue;
    }
    if (item.type === 'function_call_output' && typeof item.output !== 'string') {
      for (const part of item.output) {
        if (part.type === 'input_image') pictures.push({ part: toPart(part), place: `${place}.output` });
      }
    }
    add(toMessage(item, reasoning, place), place);
    reasoning = undefined;
  }
  addPictures();
  if (messages.length === 0) throw fieldError('input', 'expected a message');
  return { messages, places };
}

type CallItem = Extract<ConversationItem, { type: 'function_call' }>;

function thoughtsOf(reasoningContent: string | undefined) {
  return reasoningContent === undefined ? {} : { reasoningContent };
}

function toMessage(
  item: Exclude<ConversationItem, { type: 'reasoning' }>,
  reasoning: string | undefined,
  place: string,
): Message {
  if (item.type === 'function_call_output') {
    const { output, call_id: toolCallId } = item;
    const content =
      typeof output === 'string' ? output : output.filter(({ type }) => type !== 'input_image').map(toPart);
    return { role: 'tool', content, toolCallId };
  }
  if (item.type === 'function_call')
    return { role: 'assistant', content: null, toolCalls: [toToolCall(item)], ...thoughtsOf(reasoning) };
  const content = typeof item.content === 'string' ? item.content : item.content.map(toPart);
  if (item.role === 'user') return { role: 'user', content };
  assertTextOnly(item, place);
  return item.role === 'assistant'
    ? { role: 'assistant', content, ...thoughtsOf(reasoning) }
    : { role: 'system', content };
}

type Part = Exclude<Content, string>[number];

/** Only users may send images. */
function assertTextOnly({ content }: { readonly content: Content }, place: string): void {
  const index = typeof content === 'string' ? -1 : content.findIndex(({ type }) => type === 'input_image');
  if (index >= 0)
    throw unsupportedError(
      `${place}.content[${index}]`,
      'expected a part of type "input_text", "output_text" or "refusal", got "input_image"',
    );
}

function toPart(part: Part): ContentPart {
  if (part.type === 'input_image')
    return { type: 'image', image: part.image_url, detail: part.detail ?? undefined };
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}

function toToolCall(item: CallItem): ToolCall {
  return { id: item.call_id, name: shownName(item), arguments: item.arguments };
}
