import { z } from 'zod';
import { expecting } from '../../../../validation/expecting.ts';
import { suggest } from '../../../../core/text/suggest.ts';
import { jsonText } from '../../../../validation/json-text.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { parameterSchema, flagField, textField } from '../../../../validation/parameter-schema.ts';
import { chatParameters } from '../../parameters.ts';
import { schemaFields } from '../answer-format.ts';
import { itemPageSchema } from './item-page.ts';
import {
  chatRequestSchema,
  functionFields,
  imageDetail,
  nonEmptyText,
  offered,
  tokenLogprobs,
} from '../chat/schema.ts';

const part = offered('a part', [
  z.object({
    type: z.literal('input_image'),
    image_url: nonEmptyText.meta({
      description: 'An http or https URL, a `data:` URL with base64, or base64.',
    }),
    file_id: z.null({ error: "expected `image_url` instead, files aren't stored" }).optional(),
    detail: imageDetail.nullish(),
  }),
  z.object({ type: z.enum(['input_text', 'output_text']), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
]);

const content = z.union([z.string(), listOf(part)]);

const reasoningText = z.object({ type: z.literal('reasoning_text'), text: z.string() });

const itemId = z
  .string()
  .regex(/^(?!\.\.?$)[!-~]{1,64}$/, { error: 'expected 1 to 64 visible characters of ASCII' })
  .nullish();

const given = <Type extends string>(type: Type) => ({ type: z.literal(type), id: itemId });

const ownItems = [
  z.object({
    type: z.literal('message').optional(),
    id: itemId,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content,
  }),
  z.object({
    ...given('function_call'),
    call_id: nonEmptyText,
    name: nonEmptyText,
    namespace: z.string().nullish(),
    arguments: jsonText.meta({ description: 'JSON text.' }),
  }),
  z.object({ ...given('function_call_output'), call_id: nonEmptyText, output: content }),
  z.object({
    ...given('reasoning'),
    content: listOf(reasoningText).nullish(),
    encrypted_content: textField('Read if `content` is empty.'),
  }),
] as const;

export const itemSchema = offered('an item', ownItems);

const inputItem = offered('an item', [
  ...ownItems,
  z.object({
    type: z.literal('item_reference'),
    id: nonEmptyText.meta({ description: 'Of an item of a stored response.' }),
  }),
]);

const maxTexts = { count: 16, keyLength: 64, length: 512 } as const;

/** A schema of user-defined texts. */
export const metadataSchema = z
  .record(z.string(), z.string().max(maxTexts.length))
  .refine((texts) => Object.keys(texts).length <= maxTexts.count, `expected at most ${maxTexts.count} texts`)
  .refine((texts) => Object.keys(texts).every((key) => key.length <= maxTexts.keyLength), {
    error: `expected keys of at most ${maxTexts.keyLength} characters`,
  })
  .nullish()
  .meta({
    description: `Returned unchanged: at most ${maxTexts.count} texts of ${maxTexts.length} characters, under keys of ${maxTexts.keyLength}.`,
    maxProperties: maxTexts.count,
    propertyNames: { maxLength: maxTexts.keyLength },
  });

const functionTool = z.object({ type: z.literal('function'), ...functionFields });

const ownTypes = ['function', 'namespace'];

/** Clients send these tools to every model; a misspelt type must not pass as one of them. */
const skippedTool = z.object({
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, { abort: true })
    .refine((type) => suggest(type, ownTypes, 1) === undefined, { abort: true })
    .meta({ description: 'Any other type: the tool is skipped, and a response header lists its type.' }),
});

const namespaceTool = z.object({
  type: z.literal('namespace'),
  name: nonEmptyText,
  description: z.string().nullish(),
  tools: listOf(z.union([functionTool, skippedTool])),
});

const offeredTool = z.discriminatedUnion('type', [functionTool, namespaceTool]);
const tool = z.union([offeredTool, skippedTool]);

const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('function'), name: z.string(), namespace: z.string().nullish() }),
      z.object({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: listOf(
          z.object({ type: z.string(), name: z.string().nullish(), namespace: z.string().nullish() }),
          { min: 1 },
        ),
      }),
    ]),
  ],
  expecting('"auto", "none", "required" or { "type": "function", "name": … }'),
);

const textFormat = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'json_object']) }),
  z.object({ type: z.literal('json_schema'), ...schemaFields }),
]);

const summary = z.literal('auto').nullish().meta({
  description: 'No effect: the item has the full reasoning.',
});

const includable = [
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  // Accepted because no tool or item here has them.
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'web_search_call.action.sources',
  'web_search_call.results',
] as const;

const echoed = textField('Returned unchanged.');

/** The body of a request. Unlisted fields are ignored or rejected first, see `responsesForeignFields`. */
export const responsesRequestSchema = chatRequestSchema
  .omit({
    messages: true,
    max_tokens: true,
    max_completion_tokens: true,
    n: true,
    logprobs: true,
    response_format: true,
    reasoning_effort: true,
    stream_options: true,
  })
  .extend({
    input: z.union([z.string(), listOf(inputItem, { min: 1 })]).meta({
      description: 'A text of the user, or the conversation so far.',
    }),
    instructions: textField('A system message before the input.'),
    max_output_tokens: parameterSchema(chatParameters.maxTokens),
    tools: listOf(tool).nullish(),
    tool_choice: toolChoice.nullish().meta({
      description:
        '`required` guarantees at least one call, a function guarantees a call of it. `allowed_tools` limits the tools shown to the model.',
      default: 'auto',
    }),
    text: z
      .object({
        format: textFormat.nullish(),
        verbosity: z
          .string()
          .nullish()
          .meta({ enum: ['medium', null] }),
      })
      .nullish()
      .meta({ description: 'Format of the answer, enforced during generation.' }),
    reasoning: z.object({ effort: z.string().nullish(), summary, generate_summary: summary }).nullish(),
    include: listOf(z.enum(includable)).nullish().meta({
      description: 'Adds log probabilities, or encrypted reasoning in addition to its text.',
    }),
    metadata: metadataSchema,
    background: flagField(
      'Returns immediately and continues without the connection; only if the service stores responses, not with `stream`.',
      false,
    ),
    store: flagField(
      'Whether to store the response; default: true if the service stores responses, else false.',
    ),
    previous_response_id: textField('A stored response: its conversation and output precede the input.'),
    conversation: z
      .union([z.string(), z.object({ id: z.string() })])
      .nullish()
      .meta({
        description:
          'A stored conversation or its id: its items precede the input, and new items are added to it.',
      }),
    max_tool_calls: z.int().nullish().meta({ description: "For built-in tools, which don't exist here." }),
    safety_identifier: echoed,
    prompt_cache_key: echoed,
  });

/** A validated body of `POST /responses`. */
export type ResponsesRequestBody = z.infer<typeof responsesRequestSchema>;
export type ConversationItem = z.infer<typeof itemSchema>;

export const inputItemListSchema = itemPageSchema(inputItem);

export const deletedSchema = <Type extends string>(object: Type) =>
  z.object({ id: z.string(), object: z.literal(object), deleted: z.literal(true) });

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: tokenLogprobs,
});

const id = z.string();
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const made = <Type extends string>(type: Type) => ({ id, type: z.literal(type), status });

const [message, call, callOutput, reasoning] = ownItems;
const kept = { status: status.optional() };

/** A stored item: with a status, and its content in parts. */
export const keptItemSchema = z.union([
  message.extend({ ...kept, content: z.array(z.union([part, outputText])) }),
  call.extend(kept),
  callOutput.extend(kept),
  reasoning.extend({ ...kept, summary: z.array(z.never()) }),
]);

const outputItem = z.discriminatedUnion('type', [
  z.object({ ...made('message'), role: z.literal('assistant'), content: z.array(outputText) }),
  z.object({
    ...made('reasoning'),
    summary: z.array(z.never()),
    content: z.array(reasoningText),
    encrypted_content: z.string().optional(),
  }),
  z.object({
    ...made('function_call'),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    arguments: z.string(),
  }),
]);

/** The body of a complete answer. */
export const modelResponseSchema = z.object({
  id,
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  model: z.string(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.literal('max_output_tokens') }).nullable(),
  output: z.array(outputItem),
  usage: z
    .object({
      input_tokens: z.int(),
      input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.object({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int(),
  metadata: z.record(z.string(), z.string()),
  parallel_tool_calls: z.boolean(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.null() }),
  temperature: z.number(),
  text: z.object({ format: textFormat }),
  tool_choice: toolChoice,
  tools: z.array(offeredTool),
  top_logprobs: z.int(),
  top_p: z.number(),
  background: z.boolean(),
  previous_response_id: z.string().nullable(),
  conversation: z.object({ id }).nullish().meta({ description: 'Null if the new items could not be added.' }),
  store: z.boolean(),
  truncation: z.literal('disabled'),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  max_tool_calls: z.int().nullable(),
  service_tier: z.literal('default'),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const numbered = { sequence_number: z.int() };
const about = <Type extends string>(type: Type) => ({ type: z.literal(type), ...numbered });
const ofItem = { output_index: z.int(), item_id: z.string() };
const ofPart = { ...ofItem, content_index: z.int() };
const called = { name: z.string(), arguments: z.string() };

/** One event of a streamed answer. */
export const responseEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.enum([
      'response.created',
      'response.in_progress',
      'response.completed',
      'response.incomplete',
      'response.failed',
    ]),
    ...numbered,
    response: modelResponseSchema,
  }),
  z.object({
    type: z.enum(['response.output_item.added', 'response.output_item.done']),
    ...numbered,
    output_index: z.int(),
    item: outputItem,
  }),
  z.object({
    type: z.enum(['response.content_part.added', 'response.content_part.done']),
    ...numbered,
    ...ofPart,
    part: z.union([outputText, reasoningText]),
  }),
  z.object({ ...about('response.output_text.delta'), ...ofPart, delta: z.string(), logprobs: tokenLogprobs }),
  z.object({ ...about('response.output_text.done'), ...ofPart, text: z.string(), logprobs: tokenLogprobs }),
  z.object({ ...about('response.reasoning_text.delta'), ...ofPart, delta: z.string() }),
  z.object({ ...about('response.reasoning_text.done'), ...ofPart, text: z.string() }),
  z.object({ ...about('response.function_call_arguments.delta'), ...ofItem, delta: z.string() }),
  z.object({ ...about('response.function_call_arguments.done'), ...ofItem, ...called }),
  z.object({ ...about('error'), code: z.string(), message: z.string(), param: z.string().nullable() }),
]);

/** The body of a complete answer. */
export type ModelResponse = z.infer<typeof modelResponseSchema>;
/** One event of a streamed answer. */
export type ResponseEvent = z.infer<typeof responseEventSchema>;
