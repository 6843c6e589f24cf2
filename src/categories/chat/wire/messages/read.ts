import { exactTextOf } from '../../../../http/exact-texts.ts';
import { z } from 'zod';
import type { ModelInfo } from '../../../../contracts/model.ts';
import type { ChatMessage, ContentPart, MessageContent } from '../../../../core/chat/messages.ts';
import { fieldError } from '../../../../errors.ts';
import type { CallerState } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { mapEach } from '../../../../validation/in-pieces.ts';
import { parseBody } from '../../../../validation/issues.ts';
import {
  foreignTo,
  ignoredFields,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../../validation/foreign-fields.ts';
import type { ChatRequestInput } from '../../request.ts';
import { toAnswerFormat } from '../answer-format.ts';
import { createFieldMap, formatPlace, inFields, messagePlaces } from '../field-map.ts';
import { foreignFields } from '../chat/foreign-fields.ts';
import type { ChatCall } from '../chat/read.ts';
import { assertFewArguments, readFields, toToolUse, type ToolSelection } from '../request-parts.ts';
import { messagesRequestSchema, type MessagesRequestBody } from './schema.ts';

export interface MessagesCall extends Pick<ChatCall, 'model' | 'request' | 'stream' | 'fieldOf'> {
  readonly thinking: Thinking;
}

/** `unasked`: the request sets neither thinking nor an effort. */
type Thinking = 'enabled' | 'disabled' | 'adaptive' | 'unasked';

type Turn = MessagesRequestBody['messages'][number];
type Block = Exclude<Turn['content'], string>[number];
type Message = ChatMessage<MessageContent>;

const useTools = 'use `tools` of your own';

const keptThoughts = z.object({
  edits: z.array(z.object({ type: z.string().startsWith('clear_thinking_'), keep: z.literal('all') })),
});

export const messagesForeignFields: ForeignFields = {
  ...foreignTo(messagesRequestSchema, foreignFields),
  ...ignoredFields('anthropic_version anthropic_beta betas inference_geo'),
  format: { advice: 'use `output_config.format`' },
  think: { advice: 'use `thinking`' },
  reasoning: { advice: 'use `thinking` and `output_config.effort`' },
  mcp_servers: { advice: useTools },
  container: notOffered,
  context_management: { harmless: (value) => keptThoughts.safeParse(value).success },
  compaction: notOffered,
  thread: { advice: 'send the whole conversation' },
  output_format: { advice: 'use `output_config.format`' },
  stop: { as: 'stop_sequences', to: (value) => ({ stop_sequences: [value].flat() }) },
  n: { advice: 'a message has one answer' },
  response_format: { advice: 'use `output_config.format`' },
  reasoning_effort: { advice: 'use `output_config.effort`' },
  enable_thinking: { advice: 'use `thinking`' },
  parallel_tool_calls: { advice: 'use `tool_choice.disable_parallel_tool_use`' },
  max_completion_tokens: { as: 'max_tokens' },
  logprobs: { advice: 'use `POST /chat/completions`' },
  top_logprobs: { advice: 'use `POST /chat/completions`' },
};

export function fromMessagesRequest(body: unknown): MessagesCall {
  return toCall(parse(body));
}

/** Yields during and between its two checks. */
export async function readMessagesRequest(
  body: unknown,
  _caller: CallerState,
  { pieces }: RequestBudget,
): Promise<MessagesCall> {
  const parsed = await pieces(() => parse(body));
  return pieces(() => toCall(parsed));
}

function parse(body: unknown): MessagesRequestBody {
  return readForeign(messagesForeignFields, body, (own) => parseBody(messagesRequestSchema, own));
}

const fieldRules = [
  [/^tools\[(\d+)\]\.function\.parameters\b/, 'tools[$1].input_schema'],
  [/^tools\[(\d+)\]\.function\b/, 'tools[$1]'],
  [/^parallel_tool_calls\b/, 'tool_choice.disable_parallel_tool_use'],
  [/^stop\b/, 'stop_sequences'],
  [/^enable_thinking\b/, 'thinking'],
  [/^reasoning_effort\b/, 'output_config.effort'],
] as const;

function toCall(parsed: MessagesRequestBody): MessagesCall {
  const { model, system, thinking, tools, tool_choice: choice, output_config: output } = parsed;
  const { include_reasoning, continue_final_message } = parsed;
  const ofTurns = mapEach(parsed.messages, (turn, index) => {
    const place = `messages[${index}]`;
    return toMessages(turn, place).map((message) => ({ message, place }));
  });
  const placed = ofTurns.flat();
  if (system != null)
    placed.unshift({ message: { role: 'system', content: textOf(system) }, place: 'system' });
  const messages = placed.map(({ message }) => message);
  const format = output?.format;
  const { responseFormat, formatField } = toAnswerFormat({
    ...parsed,
    response_format: format && { type: 'json_schema', json_schema: { schema: format.schema } },
  });
  const fieldOf = createFieldMap([
    ...fieldRules,
    formatPlace(formatField, 'output_config.format'),
    messagePlaces(
      placed.map(({ place }) => place),
      'messages',
    ),
  ]);
  const last = messages.at(-1)!;
  const isOpen = last.role === 'assistant' && last.content !== null && last.toolCalls === undefined;
  const functions = tools?.map(({ name, description, input_schema: parameters, strict }) => {
    return { name, description, parameters, strict };
  });
  const request: ChatRequestInput = {
    ...readFields(parsed),
    model,
    messages,
    ...inFields(fieldOf, () => toToolUse(functions ?? [], toSelection(choice))),
    ...toParallel(choice),
    responseFormat,
    ...(parsed.stop_sequences && { stop: parsed.stop_sequences }),
    ...(thinking?.type === 'disabled' && { enableThinking: false }),
    // Hide reasoning unless requested.
    includeReasoning: include_reasoning ?? thinking != null,
    // The answer continues the conversation's last message.
    continueFinalMessage: continue_final_message ?? isOpen,
    // Clients send their own service's default effort, even to models without thinking.
    ...(output?.effort && output.effort !== 'high' && { reasoningEffort: output.effort }),
  };
  inFields(fieldOf, () => assertFewArguments(messages));
  const asked = thinking?.type ?? (request.reasoningEffort === undefined ? 'unasked' : 'adaptive');
  return { model, request, stream: parsed.stream ?? false, fieldOf, thinking: asked };
}

/** With a thinking switch, the model thinks only if thinking is enabled. */
export function toAskedRequest(
  { request, thinking }: Pick<MessagesCall, 'request' | 'thinking'>,
  { id, foreignParameters, defaults, ownedBy }: ModelInfo,
): MessagesCall['request'] {
  const hasSwitch = foreignParameters !== undefined && !foreignParameters.includes('enableThinking');
  const isSet = request.enableThinking !== undefined || defaults?.['enableThinking'] !== undefined;
  // A remote model's template is unknown.
  const isChosen = thinking === 'enabled' || (thinking === 'unasked' && !isSet && ownedBy !== 'remote');
  return {
    ...request,
    model: id,
    ...(hasSwitch && isChosen && { enableThinking: thinking === 'enabled' }),
  };
}

/** Templates expect call results before the rest of a user turn. */
function toMessages({ role, content }: Turn, place: string): Message[] {
  if (typeof content === 'string') return [{ role, content }];
  if (role === 'assistant') return [toAssistant(content, place)];
  if (role === 'system') {
    assertTypes(content, ['text'], { place, whose: 'the system' });
    return [{ role, content: textOf(content) }];
  }
  assertTypes(content, ['text', 'image', 'tool_result'], { place, whose: 'a user' });
  const results = ofType(content, 'tool_result').map((block): Message => {
    const text = textOf(block.content ?? '');
    return {
      role: 'tool',
      toolCallId: block.tool_use_id,
      content: block.is_error ? `Error: ${text}` : text,
    };
  });
  // A tool result is text only: its images follow in the next message.
  const parts = content.flatMap((block) => {
    if (block.type === 'tool_result') return picturesOf(block.content);
    return block.type === 'text' || block.type === 'image' ? [toPart(block)] : [];
  });
  return parts.length === 0 && results.length > 0 ? results : [...results, { role: 'user', content: parts }];
}

function toAssistant(blocks: readonly Block[], place: string): Message {
  const types = ['text', 'tool_use', 'thinking', 'redacted_thinking'];
  assertTypes(blocks, types, { place, whose: 'the assistant' });
  const texts = ofType(blocks, 'text').map(({ text }) => text);
  const thoughts = ofType(blocks, 'thinking').map(({ thinking }) => thinking);
  const calls = ofType(blocks, 'tool_use').map(({ id, name, input }) => {
    return { id, name, arguments: exactTextOf(input) ?? JSON.stringify(input) };
  });
  return {
    role: 'assistant',
    content: texts.length === 0 && calls.length > 0 ? null : texts.join('\n'),
    ...(thoughts.length > 0 && { reasoningContent: thoughts.join('\n') }),
    ...(calls.length > 0 && { toolCalls: calls }),
  };
}

function ofType<Type extends Block['type']>(blocks: readonly Block[], type: Type) {
  return blocks.filter((block): block is Extract<Block, { type: Type }> => block.type === type);
}

function assertTypes(
  blocks: readonly Block[],
  types: readonly string[],
  { place, whose }: { place: string; whose: string },
): void {
  const misplaced = blocks.findIndex(({ type }) => !types.includes(type));
  if (misplaced < 0) return;
  throw fieldError(`${place}.content[${misplaced}]`, `expected no ${blocks[misplaced]!.type} of ${whose}`);
}

type TextOrImage = Extract<Block, { type: 'text' | 'image' }>;

function toPart(block: TextOrImage): ContentPart {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { source } = block;
  const image = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
  return { type: 'image', image };
}

function picturesOf(content: Extract<Block, { type: 'tool_result' }>['content']): ContentPart[] {
  return typeof content === 'string' || content == null
    ? []
    : content.filter(({ type }) => type === 'image').map(toPart);
}

function textOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content;
  return ofType(content, 'text')
    .map(({ text }) => text)
    .join('\n');
}

const modes = { auto: 'auto', any: 'required', none: 'none' } as const;

function toSelection(choice: MessagesRequestBody['tool_choice']): ToolSelection {
  if (choice == null) return undefined;
  return choice.type === 'tool' ? { name: choice.name } : modes[choice.type];
}

function toParallel(choice: MessagesRequestBody['tool_choice']): Pick<ChatRequestInput, 'parallelToolCalls'> {
  if (choice == null || choice.type === 'none') return {};
  const { disable_parallel_tool_use: isSingle } = choice;
  return isSingle == null ? {} : { parallelToolCalls: !isSingle };
}
