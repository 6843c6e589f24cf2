import { anyObject } from '../../validation/object-schema.ts';
import { z } from 'zod';
import { reasoningEfforts } from '../../categories/chat/parameters.ts';
import { speechParameters } from '../../categories/speech/parameters.ts';
import {
  about,
  audioEvents,
  formatSchema,
  heardEvents,
  modelSchema,
  noiseReduction,
  ofClient,
  turnShape,
  without,
} from '../protocol.ts';
import type { DraftOf } from '../session.ts';

const onByDefault = (description: string) => z.boolean().optional().meta({ description, default: true });
const responding = {
  create_response: onByDefault('Whether the end of a turn begins an answer.'),
  interrupt_response: onByDefault('Whether speech ends the answer under way.'),
  idle_timeout_ms: without('silence is no turn'),
};

const turnDetection = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('server_vad'), ...turnShape, ...responding }),
    z.strictObject({
      type: z.literal('semantic_vad'),
      eagerness: z.enum(['low', 'medium', 'high', 'auto']).optional().meta({
        description:
          'Longest silence within a turn: 8 s, 4 s (also `auto`) or 2 s. One whose text ends as a sentence does ends sooner.',
        default: 'auto',
      }),
      ...responding,
    }),
  ])
  .nullable()
  .optional()
  .meta({ description: 'How turns end; `null`: only by `input_audio_buffer.commit`.' });

const modalities = z
  .tuple([z.enum(['audio', 'text'])])
  .meta({ description: 'Speech with its transcript, or text alone.' });

const voiceName = z.union([z.string().min(1), z.strictObject({ id: z.string().min(1) })]);

const { min, max } = speechParameters.speed;

const output = z.strictObject({
  format: formatSchema.optional(),
  voice: voiceName.optional().meta({ description: 'Of the model that speaks.' }),
  speed: z.number().min(min).max(max).optional(),
});

const tool = z.strictObject({
  type: z.literal('function', { error: 'expected "function": tools of servers are not called from here' }),
  name: z.string().min(1),
  description: z.string().optional(),
  parameters: anyObject.optional(),
});

const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.strictObject({ type: z.literal('function'), name: z.string().min(1) }),
  ],
  { error: 'expected "auto", "none", "required" or { type: "function", name: … }' },
);

const answering = {
  instructions: z.string().optional(),
  output_modalities: modalities.optional(),
  tools: z.array(tool).max(128).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  reasoning: z.strictObject({ effort: z.enum(reasoningEfforts).optional() }).optional(),
  max_output_tokens: z.union([z.int().min(1), z.literal('inf')]).optional(),
  prompt: without('no prompts are kept'),
};

/** The settings of answers, of a session or of one response. */
export const answeringSchema = z.object(answering).omit({ prompt: true });
export type AnsweringFields = z.infer<typeof answeringSchema>;
export type VoiceOutput = z.infer<typeof output>;

const sessionSchema = z.strictObject({
  type: z.literal('realtime'),
  model: z.string().optional().meta({ description: 'The model of the address: it stays.' }),
  ...answering,
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: formatSchema.optional(),
          transcription: modelSchema.nullable().optional().meta({
            description:
              'Whether the client is told what was heard; names of hosted models mean the own one.',
          }),
          turn_detection: turnDetection,
          noise_reduction: noiseReduction,
        })
        .optional(),
      output: output.optional(),
    })
    .optional(),
  truncation: z
    .union([
      z.enum(['auto', 'disabled']),
      z.strictObject({
        type: z.literal('retention_ratio'),
        retention_ratio: z.number().min(0).max(1),
        token_limits: without('the context of the chat model is the limit'),
      }),
    ])
    .optional()
    .meta({
      description:
        'What happens if the model can hold no more: the oldest items are dropped, a quarter at a time (`auto`) or all but this share of them (`retention_ratio`), or the answer fails.',
      default: 'auto',
    }),
  include: without('log probabilities are not offered'),
  tracing: z.unknown().optional().meta({ description: 'Ignored: it changes no answer.' }),
});

const role = z.enum(['system', 'user', 'assistant']);
const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
  z.strictObject({
    type: z.enum(['input_audio', 'output_audio', 'audio']),
    audio: z.string().nullable().optional().meta({ description: 'Base64 in the format of the input.' }),
    transcript: z.string().nullable().optional(),
    format: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string().min(1),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
]);

const itemId = z.string().min(1).max(512);
const ofItem = {
  id: itemId.optional(),
  object: z.literal('realtime.item').optional(),
  status: z.enum(['completed', 'incomplete', 'in_progress']).optional(),
};

const itemSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message'), ...ofItem, role, content: z.array(part).min(1).max(16) }),
  z.strictObject({
    type: z.literal('function_call'),
    ...ofItem,
    call_id: itemId.optional(),
    name: z.string().min(1),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal('function_call_output'), ...ofItem, call_id: itemId, output: z.string() }),
]);

export type GivenItem = z.infer<typeof itemSchema>;
/** A part of a message, as a client gives it. */
export type ItemPart = z.infer<typeof part>;
/** The session of `session.update`. */
export type VoiceSessionFields = z.infer<typeof sessionSchema>;

const reference = z.strictObject({ type: z.literal('item_reference'), id: z.string().min(1) });

const responseSchema = z.strictObject({
  ...answering,
  conversation: z.enum(['auto', 'none']).optional().meta({
    description: '`none`: the answer stays out of the conversation, and may go on beside others.',
    default: 'auto',
  }),
  input: z
    .array(z.union([reference, itemSchema]))
    .max(512)
    .optional()
    .meta({ description: 'Items in place of the conversation.' }),
  audio: z.strictObject({ output: output.omit({ speed: true }).optional() }).optional(),
  metadata: z.record(z.string(), z.string()).nullable().optional(),
});

/** The response of `response.create`. */
export type VoiceResponseFields = z.infer<typeof responseSchema>;

const item_id = z.string().min(1);

export const voiceClientEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...ofClient('session.update'), session: sessionSchema }),
  ...audioEvents,
  z.strictObject({
    ...ofClient('conversation.item.create'),
    previous_item_id: z.string().nullable().optional(),
    item: itemSchema,
  }),
  z.strictObject({ ...ofClient('conversation.item.retrieve'), item_id }),
  z.strictObject({ ...ofClient('conversation.item.delete'), item_id }),
  z.strictObject({
    ...ofClient('conversation.item.truncate'),
    item_id,
    content_index: z.literal(0),
    audio_end_ms: z.number().min(0).meta({ description: 'Audio of the item that the user has heard.' }),
  }),
  z.strictObject({ ...ofClient('response.create'), response: responseSchema.optional() }),
  z.strictObject({ ...ofClient('response.cancel'), response_id: z.string().optional() }),
]);

/** A message of the client of a voice agent. */
export type VoiceClientEvent = z.infer<typeof voiceClientEventSchema>;

const previous_item_id = z.string().nullable();
const item = z.looseObject({ id: z.string(), object: z.literal('realtime.item'), type: z.string() });
const session = z.looseObject({ object: z.literal('realtime.session'), id: z.string() });
const response = z.looseObject({
  object: z.literal('realtime.response'),
  id: z.string(),
  status: z.enum(['in_progress', 'completed', 'cancelled', 'incomplete', 'failed']),
});
const ofResponse = { response_id: z.string(), output_index: z.int() };
const content_index = z.literal(0);
const ofPart = { ...ofResponse, item_id, content_index };
const ofCall = { ...ofResponse, item_id, call_id: z.string() };
const callEnd = { ...ofCall, name: z.string(), arguments: z.string() };
const content = z.looseObject({ type: z.string() });

export const voiceServerEventSchema = z.discriminatedUnion('type', [
  ...heardEvents,
  z.object({ ...about('session.created'), session }),
  z.object({ ...about('session.updated'), session }),
  z.object({ ...about('conversation.item.added'), item, previous_item_id }),
  z.object({ ...about('conversation.item.done'), item, previous_item_id }),
  z.object({ ...about('conversation.item.retrieved'), item }),
  z.object({ ...about('conversation.item.deleted'), item_id }),
  z.object({ ...about('conversation.item.truncated'), item_id, content_index, audio_end_ms: z.number() }),
  z.object({ ...about('response.created'), response }),
  z.object({ ...about('response.done'), response }),
  z.object({ ...about('response.output_item.added'), ...ofResponse, item }),
  z.object({ ...about('response.output_item.done'), ...ofResponse, item }),
  z.object({ ...about('response.content_part.added'), ...ofPart, part: content }),
  z.object({ ...about('response.content_part.done'), ...ofPart, part: content }),
  z.object({ ...about('response.output_text.delta'), ...ofPart, delta: z.string() }),
  z.object({ ...about('response.output_text.done'), ...ofPart, text: z.string() }),
  z.object({ ...about('response.output_audio_transcript.delta'), ...ofPart, delta: z.string() }),
  z.object({ ...about('response.output_audio_transcript.done'), ...ofPart, transcript: z.string() }),
  z.object({ ...about('response.output_audio.delta'), ...ofPart, delta: z.string() }),
  z.object({ ...about('response.output_audio.done'), ...ofPart }),
  z.object({ ...about('response.function_call_arguments.delta'), ...ofCall, delta: z.string() }),
  z.object({ ...about('response.function_call_arguments.done'), ...callEnd }),
  z.object({ ...about('rate_limits.updated'), rate_limits: z.array(z.looseObject({ name: z.string() })) }),
]);

/** A message of a voice agent. */
export type VoiceServerEvent = z.infer<typeof voiceServerEventSchema>;

export type VoiceDraft = DraftOf<VoiceServerEvent>;
