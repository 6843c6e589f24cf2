import { z } from 'zod';
import {
  chatParameters,
  maxBadWordLength,
  maxAllowedTokens,
  maxStopSequences,
  maxStopTokens,
} from '../../parameters.ts';
import { logitBiasBounds } from '../../../../core/sampling/logit-bias.ts';
import { expecting } from '../../../../validation/expecting.ts';
import { jsonText } from '../../../../validation/json-text.ts';
import { needs } from '../../../../validation/json-schema.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { ofOfferedType } from '../../../../validation/offered-type.ts';
import {
  parameterSchema,
  parameterShape,
  flagField,
  textField,
} from '../../../../validation/parameter-schema.ts';
import { describeValue } from '../../../../core/text/quote.ts';
import { formatFields, jsonSchema } from '../answer-format.ts';

export const nonEmptyText = z.string().min(1);

/** The error for an unknown `type` lists the supported types. */
export function offered<const Options extends readonly z.ZodObject[]>(
  noun: string,
  options: Options,
): z.ZodType<z.infer<Options[number]>> {
  const names = options.flatMap(({ shape }) => {
    const { _zod: own } = shape['type'] as z.ZodLiteral;
    return [...own.values].filter((name) => typeof name === 'string');
  });
  const schema: unknown = z.discriminatedUnion('type', options as never);
  return ofOfferedType(noun, names, schema as z.ZodType<z.infer<Options[number]>>);
}

const textPart = z.object({ type: z.literal('text'), text: z.string() });

const content = z.union([z.string(), listOf(ofOfferedType('a part', ['text'], textPart))]);

export const imageDetail = z
  .enum(['auto', 'low', 'high'])
  .meta({ description: '`low` shrinks the picture to 512 pixels a side first.' });

const imageUrl = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    url: nonEmptyText.meta({ description: 'An http or https URL, a `data:` URL with base64, or base64.' }),
    detail: imageDetail.nullish(),
  }),
});

/** A past answer: a refusal counts as text. */
const assistantContent = z.union([
  z.string(),
  listOf(offered('a part', [textPart, z.object({ type: z.literal('refusal'), refusal: z.string() })])),
]);

const userContent = z.union([z.string(), listOf(offered('a part', [textPart, imageUrl]))]);

export const toolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, expecting('1 to 64 letters, digits, underscores and dashes'));

const toolCall = z.object({
  id: nonEmptyText,
  type: z.literal('function').optional(),
  function: z.object({ name: nonEmptyText, arguments: jsonText.meta({ description: 'JSON text.' }) }),
});

const name = z.string().nullish();

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content, name }),
  z.object({ role: z.literal('user'), content: userContent, name }),
  z
    .object({
      role: z.literal('assistant'),
      content: assistantContent.nullish(),
      refusal: z.string().nullish(),
      reasoning_content: z.string().nullish(),
      reasoning: textField('Alias of `reasoning_content`.'),
      prefix: flagField('On the last message: same as `continue_final_message`.'),
      tool_calls: listOf(toolCall).nullish(),
      function_call: z.null({ error: 'expected `tool_calls` instead' }).optional(),
      audio: z.null({ error: 'expected no audio' }).optional(),
    })
    .meta({
      allOf: [
        {
          anyOf: [
            { properties: { content: { type: ['string', 'array'] } }, required: ['content'] },
            { properties: { refusal: { type: 'string' } }, required: ['refusal'] },
            { properties: { tool_calls: { type: 'array', minItems: 1 } }, required: ['tool_calls'] },
          ],
        },
      ],
    }),
  z.object({ role: z.literal('tool'), content, tool_call_id: nonEmptyText, name }),
]);

export const functionFields = {
  name: toolName,
  description: z.string().nullish(),
  parameters: jsonSchema.nullish().meta({ description: 'JSON Schema of the arguments object.' }),
  strict: flagField(
    "Guarantee that arguments follow the schema; a schema that can't be guaranteed is rejected.",
  ),
};

const tool = z.object({ type: z.literal('function'), function: z.object(functionFields) });

const tokenName = /^\d{1,9}$/;

export const tokenId = z.int().min(0);

const namedTool = z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) });

const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.discriminatedUnion('type', [
      namedTool,
      z.object({
        type: z.literal('allowed_tools'),
        allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: listOf(namedTool, { min: 1 }) }),
      }),
    ]),
  ],
  expecting('"auto", "none", "required" or { "type": "function", "function": { "name": … } }'),
);

export const streamOptionsNeedStream = needs(['stream_options', { type: 'object' }], {
  stream: { const: true },
});

const logitBias = z
  .unknown()
  .transform((value, context): Map<number, number> => {
    const fault = (text: string): never => {
      context.addIssue({ code: 'custom', message: text });
      return z.NEVER;
    };
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return fault(`expected an object, got ${describeValue(value)}`);
    const biases = new Map<number, number>();
    const { min, max } = logitBiasBounds;
    for (const token of Object.keys(value)) {
      const bias = (value as Record<string, unknown>)[token];
      if (!tokenName.test(token) || typeof bias !== 'number' || !(bias >= min && bias <= max)) {
        const got = `${describeValue(token)}: ${describeValue(bias)}`;
        return fault(`expected token ids with numbers from ${min} to ${max}, got ${got}`);
      }
      biases.set(Number(token), bias);
    }
    return biases;
  })
  .meta({
    type: 'object',
    propertyNames: { pattern: tokenName.source },
    additionalProperties: { type: 'number', minimum: logitBiasBounds.min, maximum: logitBiasBounds.max },
  });

/** The body of a chat request. Unlisted fields are ignored or rejected first, see `foreign-fields.ts`. */
export const chatRequestSchema = z
  .object({
    model: z.string().meta({ description: 'Id of a chat model.' }),
    messages: listOf(message, { min: 1 }),
    ...parameterShape(chatParameters),
    max_completion_tokens: parameterSchema({
      ...chatParameters.maxTokens,
      description: 'Alias of max_tokens.',
    }),
    stop: z
      .union([nonEmptyText, listOf(nonEmptyText, { max: maxStopSequences })])
      .nullish()
      .meta({ description: 'Generation stops at these sequences; they are not part of the answer.' }),
    stream: flagField('Answer with server-sent events.', false),
    stream_options: z
      .object({
        include_usage: z.boolean().nullish(),
        continuous_usage_stats: flagField('Every chunk has the usage of its choice so far.'),
      })
      .nullish(),
    tools: listOf(tool).nullish(),
    tool_choice: toolChoice.nullish().meta({
      description:
        '`required` guarantees a call, or several if `parallel_tool_calls` is true; a function guarantees a call of it. `allowed_tools` limits the tools shown to the model.',
      default: 'auto',
    }),
    parallel_tool_calls: flagField(
      'Allow several calls in one answer; default: true, but false if `tool_choice` is `required`.',
    ),
    ...formatFields,
    logit_bias: logitBias.nullish().meta({ description: 'Token id → number added to its logit.' }),
    bad_words: listOf(nonEmptyText.max(maxBadWordLength), { max: chatParameters.badWords.max })
      .nullish()
      .meta({ description: chatParameters.badWords.description, default: chatParameters.badWords.default }),
    stop_token_ids: listOf(tokenId, { max: maxStopTokens }).nullish().meta({
      description: 'Tokens that end the answer and are removed from it.',
    }),
    allowed_token_ids: listOf(tokenId, { min: 1, max: maxAllowedTokens }).nullish().meta({
      description:
        'The only tokens allowed in the answer; include an end token, or only a limit ends the answer.',
    }),
    documents: listOf(z.record(z.string(), z.unknown())).nullish().meta({
      description:
        "Documents for the model's chat template, if it supports them; often objects with `title` and `text`.",
    }),
    chat_template_kwargs: z
      .record(z.string(), z.unknown())
      .nullish()
      .meta({ description: "Variables for the model's chat template, by name." }),
  })
  .meta({ allOf: [streamOptionsNeedStream] });

/** A validated body of `POST /chat/completions`. */
export type ChatRequestBody = z.infer<typeof chatRequestSchema>;

const tokenLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()) });

export const tokenLogprobs = z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }));
const logprobs = z.object({ content: tokenLogprobs, refusal: z.null() });

export const answerHead = <Name extends string>(object: Name) => ({
  id: z.string(),
  object: z.literal(object),
  created: z.int(),
  model: z.string(),
  system_fingerprint: z.string().optional().meta({
    description: 'Changes with the model or its settings.',
  }),
});

export const finishReason = z.enum(['stop', 'length', 'tool_calls']).meta({
  description:
    "`length`: truncated by `max_tokens` or the end of the context; an answer with a schema is completed first. The default of `max_tokens` is set by the model's `defaults: { maxTokens }`, else 256.",
});

export const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
});

const answeredToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** The body of a complete answer. */
export const chatCompletionSchema = z.object({
  ...answerHead('chat.completion'),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(answeredToolCall).optional(),
      }),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason,
    }),
  ),
  usage,
});

/** One event of a streamed answer. */
export const chatCompletionChunkSchema = z.object({
  ...answerHead('chat.completion.chunk'),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({
        role: z.literal('assistant').optional(),
        content: z.string().nullable().optional(),
        reasoning_content: z.string().optional(),
        tool_calls: z
          .array(
            z.object({
              index: z.int(),
              id: z.string().optional(),
              type: z.literal('function').optional(),
              function: z.object({ name: z.string().optional(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
      logprobs: logprobs.optional(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullable().optional(),
});

/** The body of a complete answer. */
export type ChatCompletion = z.infer<typeof chatCompletionSchema>;
/** One event of a streamed answer. */
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunkSchema>;
