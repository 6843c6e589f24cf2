import { z } from 'zod';
import {
  booleanSetting,
  integerSetting,
  textSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';
import { deviceSetting } from '../../validation/device-setting.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe, imageInputSettings } from '../settings.ts';
import type { CallNotation } from '../../core/chat/tool-calls/notation.ts';

const edge = z.string();
const edges = {
  begin: edge.describe('Before the first call.'),
  between: edge.nullable().describe('Between two calls; null if an answer holds only one.'),
  end: edge.describe('After the last call.'),
  text: edge.optional().describe('Before a text at the beginning of an answer.'),
  firstNumber: z.int().min(0).optional().describe('The number of the first call; default 0.'),
};
const keys = z.array(z.string()).optional();
const json = {
  before: edge.describe('Before the arguments; contains ⟨name⟩.'),
  behind: edge.describe('After the arguments.'),
  nameAt: keys.describe('Keys that lead to the name.'),
  argumentsAt: keys.describe('Keys that lead to the arguments.'),
  id: edge.optional().describe('The id, if it contains the name.'),
};
const types = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const;
const style = z.enum(['raw', 'json', 'python', 'marked', 'elements']).meta({ title: 'notation' });

const notationSchema: z.ZodType<CallNotation> = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('json'), ...edges, ...json }),
    z.strictObject({ kind: z.literal('name+json'), ...edges, ...json }),
    z.strictObject({
      kind: z.literal('items'),
      ...edges,
      first: edge.describe('Between the name and the first key.'),
      none: edge.describe('Between the name and the end of a call without arguments.'),
      next: edge.describe('Between the end of a value and the next key.'),
      close: edge.describe('After a value.'),
      equals: z.record(z.enum(types), edge).describe('Between a key and its value, by its type.'),
      values: z.record(z.enum(types), style).describe('How values are written, by their type.'),
      mark: edge.optional().describe('Around marked strings, or before each tag of elements.'),
    }),
  ])
  .meta({ title: 'notation' });

export const chatSettings = {
  contextLength: integerSetting("Tokens of prompt and answer together; default: the model's config."),
  maxBatchSize: integerSetting('Maximum sequences in one batch; default 8.'),
  optimize: booleanSetting(
    'Rewrite the graph for speed at load time; default: for graphs of 16 MB and more.',
  ),
  int8Activations: booleanSetting(
    'Round activations to 8 bits in products with 4-bit weights, if the graph allows it and is rewritten for the CPU; default true. About half of the answers at temperature 0 then differ from float32 answers, at a token that was nearly as likely.',
  ),
  speculation: booleanSetting(
    'Prompt lookup (speculative decoding): draft tokens that repeat earlier text and verify several per step, while only one sequence runs and drafts are accepted; default false.',
  ),
  prefill: z
    .strictObject({
      device: deviceSetting(
        'Its device, as in `device`; default `cpu`, without rounding activations to 8 bits.',
      ),
    })
    .optional()
    .describe(
      'A second session of the graph, with separate weights, that reads prompts of 32 tokens and more for a model on the CPU; default: no second session.',
    ),
  sharedSystemPrompts: z
    .array(z.string().min(1), { error: 'expected a list of texts' })
    .optional()
    .describe(
      'System prompts shared by many callers: their computation is reused for all callers that send them unchanged; default: no sharing.',
    ),
  chatTemplate: textSetting(
    "Jinja that turns messages into the prompt, for base models without a chat template; default: the model's template.",
  ),
  toolCallFormat: z
    .union([z.string(), notationSchema], { error: 'expected the name of a format, or a notation of calls' })
    .optional()
    .describe(
      'How the model writes tool calls: a name such as `hermes`, or a notation; default: derived from its chat template.',
    ),
  toolPrompt: textSetting(
    'Instruction about tools, as Jinja with the variable `tools`; default: from the chat template, else a general instruction.',
  ),
  tools: booleanSetting('`false` refuses tools; default true.'),
  openSchemas: booleanSetting(
    '`true`: under a JSON Schema, objects may have additional properties unless `additionalProperties` is false; default false: only if the schema has a keyword about additional properties.',
  ),
  reasoningFormat: textSetting(
    "Format of the model's thinking, such as `think`; default: detected from its chat template.",
  ),
  ...imageInputSettings,
  maxImages: integerSetting('Maximum pictures in the messages of one request; default 16.'),
} satisfies SettingTable;

export type ChatSettings = SettingsOf<typeof chatSettings>;

/** Settings of a chat model and its limits. */
export type ChatOptions = Omit<ModelOptions<ChatSettings>, 'category'>;

/**
 * Describes a chat model: a decoder with a chat template, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { assistant: chat({ source: './models/my-model', threads: 4, replicas: 2 }) } });
 * ```
 */
export const chat: Describe<ChatSettings, 'chat'> = describing('chat');
