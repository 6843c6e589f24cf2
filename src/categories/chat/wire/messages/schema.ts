import { anyObject } from '../../../../validation/object-schema.ts';
import { z } from 'zod';
import { expecting } from '../../../../validation/expecting.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { parameterSchema, flagField } from '../../../../validation/parameter-schema.ts';
import { chatParameters, maxStopSequences } from '../../parameters.ts';
import { jsonSchema } from '../answer-format.ts';
import { chatRequestSchema, nonEmptyText, offered, toolName } from '../chat/schema.ts';

/** Accepted and ignored: prompts are cached without marks. */
const cached = { cache_control: z.unknown().optional() };

const textBlock = z.object({ type: z.literal('text'), text: z.string(), ...cached });

const imageBlock = z.object({
  type: z.literal('image'),
  source: offered('a source', [
    z.object({ type: z.literal('base64'), media_type: z.string(), data: nonEmptyText }),
    z.object({ type: z.literal('url'), url: nonEmptyText }),
  ]),
  ...cached,
});

const resultContent = z.union([z.string(), listOf(offered('a block', [textBlock, imageBlock]))]);

const block = offered('a block', [
  textBlock,
  imageBlock,
  z.object({
    type: z.literal('tool_use'),
    id: nonEmptyText,
    name: nonEmptyText,
    input: anyObject,
    ...cached,
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: nonEmptyText,
    content: resultContent.nullish(),
    is_error: z.boolean().nullish(),
    ...cached,
  }),
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
]);

const tool = z.object({
  type: z.literal('custom', { error: 'expected a tool of your own, of the type "custom"' }).nullish(),
  name: toolName,
  description: z.string().nullish(),
  input_schema: jsonSchema.meta({ description: 'JSON Schema of the input object.' }),
  strict: flagField('Guarantee that inputs follow the schema; one that can not be guaranteed is refused.'),
  ...cached,
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };

const toolChoice = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.enum(['auto', 'any']), ...parallel }),
    z.object({ type: z.literal('none') }),
    z.object({ type: z.literal('tool'), name: nonEmptyText, ...parallel }),
  ],
  expecting('an object of the type "auto", "any", "none" or "tool"'),
);

export const messagesRequestSchema = chatRequestSchema
  .omit({
    messages: true,
    max_completion_tokens: true,
    n: true,
    stop: true,
    logprobs: true,
    top_logprobs: true,
    response_format: true,
    reasoning_effort: true,
    enable_thinking: true,
    parallel_tool_calls: true,
    stream_options: true,
  })
  .extend({
    messages: listOf(
      z.object({
        role: z.enum(['user', 'assistant', 'system']),
        content: z.union([z.string(), listOf(block)]),
      }),
      { min: 1 },
    ),
    system: z
      .union([z.string(), listOf(textBlock)])
      .nullish()
      .meta({ description: 'The system prompt, a text or blocks of text.' }),
    max_tokens: parameterSchema(chatParameters.maxTokens),
    stop_sequences: listOf(nonEmptyText, { max: maxStopSequences }).nullish(),
    tools: listOf(tool).nullish(),
    tool_choice: toolChoice.nullish(),
    thinking: z
      .object({ type: z.enum(['enabled', 'disabled', 'adaptive']), budget_tokens: z.number().nullish() })
      .nullish()
      .meta({
        description:
          'Switches and shows reasoning, if the model has a switch; `adaptive` leaves it to the model; `budget_tokens` has no effect.',
      }),
    output_config: z
      .object({
        format: z
          .object({ type: z.literal('json_schema'), schema: jsonSchema })
          .nullish()
          .meta({ description: 'Format of the answer, enforced during generation.' }),
        effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish().meta({
          description: "Reasoning effort, if supported by the model's template; `high` has no effect.",
        }),
      })
      .nullish(),
    metadata: z.object({ user_id: z.string().nullish() }).nullish(),
  });

export type MessagesRequestBody = z.infer<typeof messagesRequestSchema>;

const usage = z.object({
  input_tokens: z.int().meta({ description: 'Prompt tokens that were computed.' }),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cache_read_input_tokens: z
    .int()
    .meta({ description: 'Prompt tokens reused from the cache of an earlier request of the same key.' }),
});

const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), citations: z.null() }),
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);

const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use']);

export const messageSchema = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(contentBlock),
  stop_reason: stopReason.nullable(),
  stop_sequence: z.string().nullable(),
  usage,
});

/** A complete answer, or its known part at the start of a stream. */
export type Message = z.infer<typeof messageSchema>;
export type MessageBlock = z.infer<typeof contentBlock>;

const delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);

export const messagesErrorSchema = z.object({
  type: z.literal('error'),
  error: z.object({
    type: z.string(),
    message: z.string(),
    details: z
      .object({ error_code: z.literal('thread_unsupported_request') })
      .optional()
      .meta({ description: 'Makes clients send the whole conversation, without `thread`.' }),
  }),
  request_id: z.string(),
});

export const messageEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: messageSchema }),
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('content_block_start'), index: z.int(), content_block: contentBlock }),
  z.object({ type: z.literal('content_block_delta'), index: z.int(), delta }),
  z.object({ type: z.literal('content_block_stop'), index: z.int() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: stopReason, stop_sequence: z.string().nullable() }),
    usage,
  }),
  z.object({ type: z.literal('message_stop') }),
  messagesErrorSchema.omit({ request_id: true }),
]);

export type MessageEvent = z.infer<typeof messageEventSchema>;
