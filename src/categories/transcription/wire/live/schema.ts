import { z } from 'zod';
import { parameterShape } from '../../../../validation/parameter-schema.ts';
import { unsupportedIssue } from '../../../../validation/issues.ts';
import { transcriptionDoneSchema } from '../schema.ts';
import { turnParameters } from './parameters.ts';

/** Samples of a second of `audio/pcm`. */
export const defaultRateHz = 24_000;

/** A field that other services have; only the values that change nothing are accepted. */
export const without = (advice: string, ...harmless: readonly unknown[]) =>
  z
    .unknown()
    .superRefine((value, context) => {
      const isEmpty = Array.isArray(value) && value.length === 0;
      if (value === undefined || value === null || isEmpty || harmless.includes(value)) return;
      context.addIssue(unsupportedIssue(`not supported, ${advice}`));
    })
    .optional()
    .meta({
      description: `Only ${[null, ...harmless].map((value) => `\`${String(value)}\``).join(', ')}: ${advice}.`,
    });

export const formatSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('audio/pcm').meta({ description: '16-bit little-endian samples of one channel.' }),
    rate: z.int().min(8000).max(48_000).optional().meta({
      description: 'Samples of a second.',
      default: defaultRateHz,
    }),
  }),
  z.strictObject({ type: z.literal('audio/pcmu').meta({ description: 'G.711 µ-law, 8 kHz.' }) }),
  z.strictObject({ type: z.literal('audio/pcma').meta({ description: 'G.711 A-law, 8 kHz.' }) }),
]);

/** The form of the audio that a client appends. */
export type AudioFormat = z.infer<typeof formatSchema>;

export const modelSchema = z.strictObject({
  model: z.string().min(1).optional().meta({
    description: 'Id of a transcription model; default: the `model` of the address, else the first one.',
  }),
  language: z.string().min(1).nullable().optional().meta({
    description: 'Language of the audio, as ISO 639-1; default: auto-detected.',
  }),
  prompt: z.string().nullable().optional().meta({
    description: 'Text that comes before each utterance: a guide to style and spelling.',
  }),
  delay: without('an utterance is transcribed at its end'),
});

export const turnShape = parameterShape(turnParameters);

const turnSchema = z.strictObject({
  type: z.literal('server_vad').optional(),
  ...turnShape,
  create_response: without('there are no responses', false),
  interrupt_response: without('there are no responses', false, true),
  idle_timeout_ms: without('silence is no turn'),
  eagerness: without('only server_vad is offered'),
});

const turnDetection = turnSchema.nullable().optional().meta({
  description: 'How utterances end; `null`: only by `input_audio_buffer.commit`.',
});
const transcription = modelSchema.nullable().optional();
export const noiseReduction = without('noise is not reduced');
const include = without('log probabilities are not offered');

const sessionSchema = z.strictObject({
  type: z.literal('transcription'),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: formatSchema.optional(),
          transcription,
          turn_detection: turnDetection,
          noise_reduction: noiseReduction,
        })
        .optional(),
    })
    .optional(),
  include,
});

/** The session of `session.update`. */
export type SessionFields = z.infer<typeof sessionSchema>;

/** The client's own name of its message. */
const eventId = z.string().max(512).optional().meta({ description: 'Comes back with an error.' });

/** The beginning of a message of a client. */
export const ofClient = <Type extends string>(type: Type) => ({ type: z.literal(type), event_id: eventId });

/** The messages about audio of a client. */
export const audioEvents = [
  z.strictObject({
    ...ofClient('input_audio_buffer.append'),
    audio: z.string().meta({ description: 'Base64 of audio in the format of the session.' }),
  }),
  z.strictObject(ofClient('input_audio_buffer.commit')),
  z.strictObject(ofClient('input_audio_buffer.clear')),
] as const;

export const liveClientEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...ofClient('session.update'), session: sessionSchema }),
  ...audioEvents,
]);

export type LiveClientEvent = z.infer<typeof liveClientEventSchema>;

const item_id = z.string().meta({ description: 'Id of the utterance.' });
const previous_item_id = z.string().nullable();
const ofHeard = { item_id, content_index: z.literal(0) };
const { usage } = transcriptionDoneSchema.shape;
const item = z.object({
  id: item_id,
  object: z.literal('realtime.item'),
  type: z.literal('message'),
  status: z.literal('completed'),
  role: z.literal('user'),
  content: z.array(z.object({ type: z.literal('input_audio'), transcript: z.null() })),
});
const milliseconds = z.int().meta({ description: 'From the beginning of the audio of the session.' });
const error = z.object({
  type: z.string(),
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
});

const session = z
  .object({ object: z.literal('realtime.transcription_session'), id: z.string() })
  .catchall(z.unknown());

/** The beginning of a message of a server. */
export const about = <Type extends string>(type: Type) => ({ type: z.literal(type), event_id: z.string() });
/** The beginning of the names of events about what was heard. */
export const transcribed = 'conversation.item.input_audio_transcription';

/** The messages about audio of a server. */
export const heardEvents = [
  z.object({ ...about('input_audio_buffer.speech_started'), item_id, audio_start_ms: milliseconds }),
  z.object({ ...about('input_audio_buffer.speech_stopped'), item_id, audio_end_ms: milliseconds }),
  z.object({ ...about('input_audio_buffer.committed'), item_id, previous_item_id }),
  z.object({ ...about('input_audio_buffer.cleared') }),
  z.object({ ...about(`${transcribed}.delta`), ...ofHeard, delta: z.string() }),
  z.object({ ...about(`${transcribed}.completed`), ...ofHeard, transcript: z.string(), usage }),
  z.object({ ...about(`${transcribed}.failed`), ...ofHeard, error }),
  z.object({ ...about('error'), error: error.extend({ event_id: z.string().nullable() }) }),
] as const;

export const liveServerEventSchema = z.discriminatedUnion('type', [
  ...heardEvents,
  z.object({ ...about('session.created'), session }),
  z.object({ ...about('session.updated'), session }),
  z.object({ ...about('conversation.item.added'), item, previous_item_id }),
  z.object({ ...about('conversation.item.done'), item, previous_item_id }),
]);

export type LiveServerEvent = z.infer<typeof liveServerEventSchema>;
