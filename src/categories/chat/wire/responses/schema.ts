import { z } from 'zod';
import { describeValue } from '../../../../core/text/quote.ts';
import { jsonText } from '../../../../validation/json-text.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { ofOfferedType } from '../../../../validation/offered-type.ts';
import { parameterSchema } from '../../../../validation/parameter-schema.ts';
import { chatParameters } from '../../parameters.ts';
import {
  chatRequestSchema,
  imageDetail,
  jsonSchema,
  nonEmptyText,
  tokenLogprob,
  toolName,
} from '../schema.ts';

const part = ofOfferedType(
  'a part',
  ['input_text', 'input_image', 'output_text', 'refusal'],
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('input_image'),
      image_url: nonEmptyText.meta({
        description: 'An http or https URL, a `data:` URL with base64, or base64.',
      }),
      file_id: z.null({ error: 'expected `image_url` instead, no files are kept' }).optional(),
      detail: imageDetail.nullish(),
    }),
    z.object({ type: z.enum(['input_text', 'output_text']), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
  ]),
);

/** Text, or parts of text and, of users, pictures. */
const content = z.union([z.string(), listOf(part)]);

const reasoningText = z.object({ type: z.literal('reasoning_text'), text: z.string() });

const inputItem = ofOfferedType(
  'an item',
  ['message', 'function_call', 'function_call_output', 'reasoning'],
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('message').optional(),
      role: z.enum(['user', 'assistant', 'system', 'developer']),
      content,
    }),
    z.object({
      type: z.literal('function_call'),
      call_id: nonEmptyText,
      name: nonEmptyText,
      arguments: jsonText.meta({ description: 'JSON text.' }),
    }),
    z.object({ type: z.literal('function_call_output'), call_id: nonEmptyText, output: content }),
    z.object({
      type: z.literal('reasoning'),
      content: listOf(reasoningText).nullish(),
      encrypted_content: z
        .null({ error: 'expected `content` instead, nothing here is encrypted' })
        .optional(),
    }),
  ]),
  new Map([['item_reference', 'nothing is stored, so send the item itself']]),
);

const tool = ofOfferedType(
  'a tool',
  ['function'],
  z.object({
    type: z.literal('function'),
    name: toolName,
    description: z.string().nullish(),
    parameters: jsonSchema.nullish().meta({ description: 'JSON Schema of the arguments object.' }),
    strict: z.boolean().nullish().meta({
      description: 'Guarantee that arguments follow the schema; one that can not be guaranteed is refused.',
    }),
  }),
);

const toolChoice = z.union(
  [z.enum(['auto', 'none', 'required']), z.object({ type: z.literal('function'), name: z.string() })],
  {
    error: ({ input }) =>
      `expected "auto", "none", "required" or { "type": "function", "name": … }, got ${describeValue(input)}`,
  },
);

const textFormat = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'json_object']) }),
  z.object({
    type: z.literal('json_schema'),
    name: z.string().optional(),
    description: z.string().nullish(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

const summary = z.literal('auto').nullish().meta({
  description: '`auto` is none: the item has the whole reasoning.',
});

const includable = ['message.output_text.logprobs', 'reasoning.encrypted_content'] as const;

/** The body of a request. Fields that are not listed change nothing or are refused before, see `unsupported.ts`. */
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
    instructions: z.string().nullish().meta({ description: 'A system message before the input.' }),
    max_output_tokens: parameterSchema(chatParameters.maxTokens),
    tools: listOf(tool).nullish(),
    tool_choice: toolChoice.nullish().meta({
      description: '`required` is at least one call, a function a call of it; both are guaranteed.',
      default: 'auto',
    }),
    text: z
      .object({ format: textFormat.nullish(), verbosity: z.string().nullish() })
      .nullish()
      .meta({ description: 'Format of the answer; the model can write nothing else.' }),
    reasoning: z.object({ effort: z.string().nullish(), summary, generate_summary: summary }).nullish(),
    include: listOf(z.enum(includable)).nullish().meta({
      description: 'Log probabilities; the content of reasoning is never encrypted and always there.',
    }),
    metadata: z.record(z.string(), z.string()).nullish().meta({ description: 'Comes back as it is.' }),
  });

/** A checked body of `POST /responses`. */
export type ResponsesRequestBody = z.infer<typeof responsesRequestSchema>;

const logprobs = z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }));

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs,
});

const id = z.string();
const status = z.enum(['in_progress', 'completed', 'incomplete']);

const outputItem = z.discriminatedUnion('type', [
  z.object({
    id,
    type: z.literal('message'),
    status,
    role: z.literal('assistant'),
    content: z.array(outputText),
  }),
  z.object({
    id,
    type: z.literal('reasoning'),
    status,
    summary: z.array(z.never()),
    content: z.array(reasoningText),
  }),
  z.object({
    id,
    type: z.literal('function_call'),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
]);

/** The body of a whole answer. */
export const modelResponseSchema = z.object({
  id,
  object: z.literal('response'),
  created_at: z.int(),
  model: z.string(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
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
  tools: z.array(tool),
  top_logprobs: z.int(),
  top_p: z.number(),
  background: z.literal(false),
  previous_response_id: z.null(),
  store: z.literal(false),
  truncation: z.literal('disabled'),
});

const numbered = { sequence_number: z.int() };
const ofItem = { ...numbered, output_index: z.int(), item_id: z.string() };
const ofPart = { ...ofItem, content_index: z.int() };

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
    ...ofPart,
    part: z.union([outputText, reasoningText]),
  }),
  z.object({ type: z.literal('response.output_text.delta'), ...ofPart, delta: z.string(), logprobs }),
  z.object({ type: z.literal('response.output_text.done'), ...ofPart, text: z.string(), logprobs }),
  z.object({ type: z.literal('response.reasoning_text.delta'), ...ofPart, delta: z.string() }),
  z.object({ type: z.literal('response.reasoning_text.done'), ...ofPart, text: z.string() }),
  z.object({ type: z.literal('response.function_call_arguments.delta'), ...ofItem, delta: z.string() }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...ofItem,
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('error'),
    ...numbered,
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
  }),
]);

/** The body of a whole answer. */
export type ModelResponse = z.infer<typeof modelResponseSchema>;
/** One event of a streamed answer. */
export type ResponseEvent = z.infer<typeof responseEventSchema>;
