import { exactTextOf } from '../../../../http/exact-texts.ts';
import { z } from 'zod';
import type { ModelInfo } from '../../../../contracts/model.ts';
import { fieldError, orThrow } from '../../../../errors.ts';
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
import { foreignFields } from '../foreign-fields.ts';
import { fromChatRequest, type ChatCall } from '../from-request.ts';
import type { ChatRequestBody } from '../schema.ts';
import { toMessagesError } from './field-names.ts';
import { messagesRequestSchema, type MessagesRequestBody } from './schema.ts';

/** The parsed request without the form of its delivery. */
export interface MessagesCall extends Pick<ChatCall, 'model' | 'request' | 'stream' | 'formatField'> {
  /** The field that each message of the request came from, for errors. */
  readonly places: readonly string[];
  readonly thinking: Thinking;
}

/** `unasked`: the request says nothing about thinking, nor how much of it. */
type Thinking = 'enabled' | 'disabled' | 'adaptive' | 'unasked';

type MessageBody = ChatRequestBody['messages'][number];
type Turn = MessagesRequestBody['messages'][number];
type Block = Exclude<Turn['content'], string>[number];
type ResultContent = Extract<Block, { type: 'tool_result' }>['content'];

const useTools = 'use `tools` of your own';

const keptThoughts = z.object({
  edits: z.array(z.object({ type: z.string().startsWith('clear_thinking_'), keep: z.literal('all') })),
});

/** Fields that would change the answer and that are not honored. */
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

/** A request body of `POST /messages` → what the inference takes. The body becomes that of a chat completion. */
export function fromMessagesRequest(body: unknown): MessagesCall {
  return toCall(toChatBody(parse(body)));
}

/** `fromMessagesRequest` that lets others run within and between its two checks. */
export async function readMessagesRequest(
  body: unknown,
  _caller: CallerState,
  { pieces }: RequestBudget,
): Promise<MessagesCall> {
  const parsed = await pieces(() => parse(body));
  const conversation = await pieces(() => toChatBody(parsed));
  return pieces(() => toCall(conversation));
}

function parse(body: unknown): MessagesRequestBody {
  return readForeign(messagesForeignFields, body, (own) => parseBody(messagesRequestSchema, own));
}

function toChatBody(parsed: MessagesRequestBody) {
  const { system, messages: turns, tools, thinking, metadata, ...others } = parsed;
  const { stop_sequences, tool_choice, output_config, ...common } = others;
  const ofTurns = mapEach(turns, (turn, index) => {
    const place = `messages[${index}]`;
    return toMessages(turn, place).map((message) => ({ message, place }));
  });
  const placed = ofTurns.flat();
  if (system != null)
    placed.unshift({ message: { role: 'system', content: textOf(system) }, place: 'system' });
  const messages = placed.map(({ message }) => message);
  const last = messages.at(-1)!;
  const isOpen = last.role === 'assistant' && last.content != null && !last.tool_calls?.length;
  const chatBody = {
    ...common,
    messages,
    stop: stop_sequences,
    tools: tools?.map(({ name, description, input_schema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: input_schema, strict },
    })),
    ...toToolChoice(tool_choice),
    ...(thinking?.type === 'disabled' && { enable_thinking: false }),
    // Thinking that nobody asked for is no part of the answer.
    include_reasoning: common.include_reasoning ?? thinking != null,
    // The answer goes on where the conversation ends.
    continue_final_message: common.continue_final_message ?? isOpen,
    ...toOutput(output_config),
    user: metadata?.user_id,
  };
  return { chatBody, places: placed.map(({ place }) => place), thinking: thinking?.type };
}

function toCall({ chatBody, places, thinking }: ReturnType<typeof toChatBody>): MessagesCall {
  const { model, request, stream, formatField } = orThrow(
    () => fromChatRequest(chatBody),
    (error) => toMessagesError(error, places),
  );
  const asked = thinking ?? (request.reasoningEffort === undefined ? 'unasked' : 'adaptive');
  return { model, request, stream, formatField, places, thinking: asked };
}

/**
 * The request as this model takes it: one that has a switch for thinking thinks where that is enabled, and doesn't where
 * nobody asked for it. Of others, the thinking stays as it is.
 */
export function toAskedRequest(
  { request, thinking }: Pick<MessagesCall, 'request' | 'thinking'>,
  { id, foreignParameters, defaults, ownedBy }: ModelInfo,
): MessagesCall['request'] {
  const hasSwitch = foreignParameters !== undefined && !foreignParameters.includes('enableThinking');
  const isSet = request.enableThinking !== undefined || defaults?.['enableThinking'] !== undefined;
  // Nobody knows what the template of a remote model takes.
  const isChosen = thinking === 'enabled' || (thinking === 'unasked' && !isSet && ownedBy !== 'remote');
  return {
    ...request,
    model: id,
    ...(hasSwitch && isChosen && { enableThinking: thinking === 'enabled' }),
  };
}

function toOutput(config: MessagesRequestBody['output_config']) {
  const { format, effort } = config ?? {};
  return {
    ...(format && {
      response_format: { type: 'json_schema', json_schema: { schema: format.schema } },
    }),
    // Clients send the effort that their own service has without it, to models that can't think, too.
    ...(effort && effort !== 'high' && { reasoning_effort: effort }),
  };
}

/** Results of calls come before the rest of a user's turn, as templates have them. */
function toMessages({ role, content }: Turn, place: string): MessageBody[] {
  if (typeof content === 'string') return [{ role, content }];
  if (role === 'assistant') return [toAssistant(content, place)];
  if (role === 'system') {
    assertTypes(content, ['text'], { place, whose: 'the system' });
    return [{ role, content: textOf(content) }];
  }
  assertTypes(content, ['text', 'image', 'tool_result'], { place, whose: 'a user' });
  const results = ofType(content, 'tool_result').map((block): MessageBody => {
    const text = textOf(block.content ?? '');
    return {
      role: 'tool',
      tool_call_id: block.tool_use_id,
      content: block.is_error ? `Error: ${text}` : text,
    };
  });
  // A result is a text here: its pictures follow in the message after it.
  const parts = content.flatMap((block) => {
    if (block.type === 'tool_result') return picturesOf(block.content);
    return block.type === 'text' || block.type === 'image' ? [toPart(block)] : [];
  });
  return parts.length === 0 && results.length > 0 ? results : [...results, { role: 'user', content: parts }];
}

function toAssistant(blocks: readonly Block[], place: string): MessageBody {
  const types = ['text', 'tool_use', 'thinking', 'redacted_thinking'];
  assertTypes(blocks, types, { place, whose: 'the assistant' });
  const texts = ofType(blocks, 'text').map(({ text }) => text);
  const thoughts = ofType(blocks, 'thinking').map(({ thinking }) => thinking);
  const calls = ofType(blocks, 'tool_use').map(({ id, name, input }) => {
    return { id, function: { name, arguments: exactTextOf(input) ?? JSON.stringify(input) } };
  });
  return {
    role: 'assistant',
    content: texts.length === 0 && calls.length > 0 ? null : texts.join('\n'),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n') }),
    ...(calls.length > 0 && { tool_calls: calls }),
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

function toPart(block: TextOrImage) {
  if (block.type === 'text') return { type: 'text' as const, text: block.text };
  const { source } = block;
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
  return { type: 'image_url' as const, image_url: { url } };
}

function picturesOf(content: ResultContent) {
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

const modes = { auto: 'auto', any: 'required' } as const;

function toToolChoice(choice: MessagesRequestBody['tool_choice']): Partial<ChatRequestBody> {
  if (choice == null) return {};
  if (choice.type === 'none') return { tool_choice: 'none' };
  const { disable_parallel_tool_use: isSingle } = choice;
  return {
    tool_choice:
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : modes[choice.type],
    ...(isSingle != null && { parallel_tool_calls: !isSingle }),
  };
}
