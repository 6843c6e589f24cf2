import type { CallerState } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { fieldError, orThrow, unsupportedError } from '../../../../errors.ts';
import { parseBody } from '../../../../validation/issues.ts';
import type { ChatRequestInput } from '../../request.ts';
import { fromChatRequest } from '../from-request.ts';
import type { ChatRequestBody } from '../schema.ts';
import {
  assertRecallsNothing,
  conversationOf,
  nothingRecalled,
  recall,
  type PlacedItem,
  type Recalled,
} from './conversation.ts';
import { toResponsesError } from './field-names.ts';
import type { Keeping } from './kept-response.ts';
import { responsesRequestSchema, type ConversationItem, type ResponsesRequestBody } from './schema.ts';
import { shownName, showTools, toToolChoice, type ShownTools } from './tools.ts';
import {
  foreignTo,
  harmless,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../../validation/foreign-fields.ts';
import { foreignFields } from '../foreign-fields.ts';

/** Fields that would change the answer and that are not honored: those of chat completions and of stored state. */
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

/** The parsed request without the form of its delivery. */
export interface ResponsesCall extends Keeping {
  readonly model: string;
  readonly request: ChatRequestInput;
  readonly stream: boolean;
  readonly formatField: string;
  /** The field that each message of the request came from, for errors. */
  readonly places: readonly string[];
  readonly tools: ShownTools;
  /** The response repeats parts of it. */
  readonly body: ResponsesRequestBody;
}

type MessageBody = ChatRequestBody['messages'][number];
type AssistantBody = Extract<MessageBody, { role: 'assistant' }>;
type Content = Extract<ConversationItem, { role: string }>['content'];
interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

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
  assertRecallsNothing(parsed);
  const items = conversationOf(parsed, nothingRecalled, () => undefined);
  return toCall(parsed, toChatBody(parsed, items), { store: false, recalled: nothingRecalled });
}

/** `fromResponsesRequest` of a caller of a service; it lets others run within and between its two checks. */
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
  await budget.pause();
  const conversation = toChatBody(parsed, items);
  const store = parsed.store ?? caller.kept !== undefined;
  return budget.pieces(() => toCall(parsed, conversation, { store, recalled }));
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

function toChatBody(parsed: ResponsesRequestBody, placed: readonly PlacedItem[]) {
  const { instructions, max_output_tokens, tool_choice, text, reasoning, include, ...common } = parsed;
  const { messages, places } = toMessages(placed, instructions);
  const logprobs = include?.includes('message.output_text.logprobs') || (parsed.top_logprobs ?? 0) > 0;
  const tools = showTools(parsed.tools ?? []);
  const format = text?.format;
  const chatBody = {
    ...common,
    messages,
    input: undefined,
    max_tokens: max_output_tokens,
    tools: tools.functions,
    tool_choice: toToolChoice(tool_choice),
    response_format: format?.type === 'json_schema' ? { type: format.type, json_schema: format } : format,
    reasoning_effort: reasoning?.effort,
    verbosity: text?.verbosity,
    logprobs,
  };
  return { chatBody, places, tools, items: placed.map(({ item }) => item) };
}

function toCall(
  parsed: ResponsesRequestBody,
  { chatBody, places, items, tools }: ReturnType<typeof toChatBody>,
  { store, recalled }: { readonly store: boolean; readonly recalled: Recalled },
): ResponsesCall {
  const { model, request, stream, formatField } = orThrow(
    () => fromChatRequest(chatBody),
    (error) => toResponsesError(error, places),
  );
  const kept = { items: items.slice(recalled.items.length), before: recalled.before, store };
  return { model, request, stream, formatField, places, tools, ...kept, body: parsed };
}

/** Calls and reasoning, which are items of their own, become parts of the assistant's messages. */
function toMessages(items: readonly PlacedItem[], instructions?: string | null) {
  const messages: MessageBody[] = [];
  const places: string[] = [];
  const add = (message: MessageBody, place: string): void => {
    messages.push(message);
    places.push(place);
  };
  if (instructions != null) add({ role: 'system', content: instructions }, 'instructions');
  let reasoning: string | undefined;
  // A result is a text here: its pictures follow in a message after all results of the turn.
  let pictures: { part: ImagePart; place: string }[] = [];
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
    if (isCallOfLast && (reasoning === undefined || last.tool_calls)) {
      (last.tool_calls ??= []).push(toToolCall(item));
      if (reasoning !== undefined) last.reasoning_content = `${last.reasoning_content ?? ''}${reasoning}`;
      reasoning = undefined;
      continue;
    }
    if (item.type === 'function_call_output' && typeof item.output !== 'string') {
      for (const part of item.output) {
        if (part.type === 'input_image') pictures.push({ part: toImage(part), place: `${place}.output` });
      }
    }
    add(toMessage(item, reasoning), place);
    reasoning = undefined;
  }
  addPictures();
  if (messages.length === 0) throw fieldError('input', 'expected a message');
  return { messages, places };
}

function toMessage(
  item: Exclude<ConversationItem, { type: 'reasoning' }>,
  reasoning: string | undefined,
): MessageBody {
  if (item.type === 'function_call_output') {
    const { output, call_id } = item;
    const textsOf = (part: Part) => (part.type === 'input_image' ? [] : [toText(part)]);
    const content = typeof output === 'string' ? output : output.flatMap(textsOf);
    return { role: 'tool', content, tool_call_id: call_id };
  }
  const thoughts = reasoning === undefined ? {} : { reasoning_content: reasoning };
  if (item.type === 'function_call')
    return { role: 'assistant', content: null, tool_calls: [toToolCall(item)], ...thoughts };
  // Only users' messages may hold pictures; the schema of a chat completion refuses others, by their place.
  const { role } = item;
  const content = typeof item.content === 'string' ? item.content : item.content.map(toPart);
  return { role, content, ...(role === 'assistant' && thoughts) } as MessageBody;
}

type Part = Exclude<Content, string>[number];

type ImagePart = Extract<
  Exclude<Extract<MessageBody, { role: 'user' }>['content'], string>[number],
  { type: 'image_url' }
>;

function toPart(part: Part): TextPart | ImagePart {
  return part.type === 'input_image' ? toImage(part) : toText(part);
}

function toText(part: Exclude<Part, { type: 'input_image' }>): TextPart {
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}

function toImage({ image_url: url, detail }: Extract<Part, { type: 'input_image' }>): ImagePart {
  return { type: 'image_url', image_url: { url, detail } };
}

function toToolCall(
  item: Extract<ConversationItem, { type: 'function_call' }>,
): NonNullable<AssistantBody['tool_calls']>[number] {
  return {
    id: item.call_id,
    type: 'function',
    function: { name: shownName(item), arguments: item.arguments },
  };
}
