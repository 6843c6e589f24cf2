import { z } from 'zod';
import { schemaLimits, schemaSizeFault } from '../../../core/grammar/schemas/size.ts';
import { parseBounded } from '../../../core/text/bounded-json.ts';
import type { ResponseFormat } from '../../../core/grammar/constraint.ts';
import { fieldError } from '../../../errors.ts';
import { exactTextOf, isDelicate } from '../../../http/exact-texts.ts';
import { listOf } from '../../../validation/list-schema.ts';
import { anyObject } from '../../../validation/object-schema.ts';

/** Larger schemas would block host and worker; deeper ones can't be sent to it. */
export const jsonSchema = anyObject.superRefine((schema, context) => {
  const fault = schemaSizeFault(schema);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

export const schemaFields = {
  name: z.string().optional(),
  description: z.string().nullish(),
  schema: jsonSchema,
  strict: z.boolean().nullish(),
};

const responseFormat = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    schema: z.null({ error: 'expected it with the type "json_object"' }).optional(),
  }),
  z.object({
    type: z.literal('json_object'),
    schema: jsonSchema.nullish().meta({ description: 'See `json_schema`; default: any object.' }),
  }),
  z.object({ type: z.literal('json_schema'), json_schema: z.object(schemaFields) }),
]);

const writtenSchema = z
  .union([jsonSchema, z.string()], { error: 'expected a JSON Schema, or its text' })
  .nullish();
const text = z.string().min(1).nullish();
const maxGrammarLength = schemaLimits.characters;
const choices = listOf(z.string(), { min: 1 }).nullish();
const none = z.null({ error: 'not supported, use `json`, `regex`, `choice` or `grammar`' }).optional();

/** Answer format fields of this API, vLLM and llama.cpp. */
export const formatFields = {
  response_format: responseFormat.nullish().meta({
    description: 'Format of the answer, enforced during generation.',
  }),
  structured_outputs: z
    .object({
      json: writtenSchema,
      regex: text,
      choice: choices,
      grammar: z.string().min(1).max(maxGrammarLength).nullish().meta({
        description: 'GBNF with rules as `root ::= …`, or Lark with rules as `start: …`.',
      }),
      json_object: z.boolean().nullish(),
      structural_tag: none,
      whitespace_pattern: none,
    })
    .nullish()
    .meta({
      description: 'The format of the answer as in vLLM: set one of its fields.',
    }),
  guided_json: writtenSchema.meta({ description: 'As `structured_outputs.json`.' }),
  guided_regex: text.meta({ description: 'As `structured_outputs.regex`.' }),
  guided_choice: choices.meta({ description: 'As `structured_outputs.choice`.' }),
  guided_grammar: z
    .string()
    .min(1)
    .max(maxGrammarLength)
    .nullish()
    .meta({ description: 'As `structured_outputs.grammar`.' }),
  json_schema: writtenSchema.meta({ description: 'As `structured_outputs.json`, as in llama.cpp.' }),
  grammar: z.string().max(maxGrammarLength).nullish().meta({
    description: 'As `structured_outputs.grammar`, as in llama.cpp; "" means no grammar.',
  }),
};

type ToFormat = (value: never, field: string) => ResponseFormat;

const toRegex = (regex: string): ResponseFormat => ({ type: 'regex', regex });
const toChoice = (texts: string[]): ResponseFormat => ({ type: 'choice', choices: texts });
const toGrammar = (grammar: string): ResponseFormat => ({ type: 'grammar', grammar });

/** Alternatives to `response_format`: place, name there, converter. */
const otherFields: readonly (readonly [field: string, name: string, toFormat: ToFormat])[] = [
  ['structured_outputs.json', 'json', toSchema],
  ['structured_outputs.regex', 'regex', toRegex],
  ['structured_outputs.choice', 'choice', toChoice],
  ['structured_outputs.grammar', 'grammar', toGrammar],
  ['structured_outputs.json_object', 'json_object', () => ({ type: 'json-object' })],
  ['guided_json', 'guided_json', toSchema],
  ['guided_regex', 'guided_regex', toRegex],
  ['guided_choice', 'guided_choice', toChoice],
  ['guided_grammar', 'guided_grammar', toGrammar],
  ['json_schema', 'json_schema', toSchema],
  ['grammar', 'grammar', toGrammar],
];

type FormatBody = z.infer<z.ZodObject<typeof formatFields>>;

/** @throws InferenceError `invalid_request` for a second format, and for a schema text that isn't a JSON object */
export function toAnswerFormat(body: FormatBody): {
  responseFormat: ResponseFormat | undefined;
  formatField: string;
} {
  const own = toResponseFormat(body.response_format);
  const asked: [field: string, format: ResponseFormat][] = [];
  if (own !== undefined && own.type !== 'text') asked.push(['response_format', own]);
  const outputs = body.structured_outputs ?? {};
  for (const [field, name, toFormat] of otherFields) {
    const value: unknown = (field === name ? body : outputs)[name as keyof (typeof body | typeof outputs)];
    // llama.cpp treats an empty grammar as unset.
    const isNone = value == null || value === false || (value === '' && field === 'grammar');
    if (!isNone) asked.push([field, toFormat(value as never, field)]);
  }
  const [first, second] = asked;
  if (second) throw fieldError(second[0], 'expected one format of the answer, got a second one');
  return { responseFormat: first?.[1] ?? own, formatField: first?.[0] ?? 'response_format' };
}

function toResponseFormat(format: FormatBody['response_format']): ResponseFormat | undefined {
  switch (format?.type) {
    case undefined:
      return undefined;
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return format.schema ? schemaFormat(format.schema) : { type: 'json-object' };
    case 'json_schema':
      return schemaFormat(format.json_schema.schema);
  }
}

function toSchema(written: NonNullable<z.infer<typeof writtenSchema>>, field: string): ResponseFormat {
  if (typeof written !== 'string') return schemaFormat(written);
  return {
    type: 'json-schema',
    schema: parsed(written, field),
    ...(isDelicate(written) && { schemaText: written }),
  };
}

function schemaFormat(schema: z.infer<typeof jsonSchema>): ResponseFormat {
  return { type: 'json-schema', schema, schemaText: exactTextOf(schema) };
}

function parsed(written: string, field: string): unknown {
  let schema: unknown;
  try {
    schema = parseBounded(written, schemaLimits);
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw fieldError(
      field,
      isTooLarge ? error.message : "expected a JSON Schema, got a text that isn't JSON",
    );
  }
  const fault = schemaSizeFault(schema);
  if (fault !== undefined) throw fieldError(field, fault);
  return schema;
}
