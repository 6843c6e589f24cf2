import { z } from 'zod';
import { parameterShape } from '../validation/parameter-schema.ts';
import { unsupportedIssue } from '../validation/issues.ts';
import { transcriptionDoneSchema } from '../categories/transcription/wire/schema.ts';
import { turnParameters } from './turn-parameters.ts';

const maxKeywords = 1000;
/** Default sample rate of `audio/pcm`. */
export const defaultRateHz = 24_000;

/** A field of the hosted service; only values that change nothing are accepted. */
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
  model: z.string().min(1).optional(),
  language: z.string().min(1).nullable().optional(),
  prompt: z.string().nullable().optional(),
  languages: z
    .array(z.string().min(1))
    .max(1, { error: 'expected one language at most: the model finds out which of several it is' })
    .nullable()
    .optional(),
  keywords: z.array(z.string().min(1)).max(maxKeywords).nullable().optional(),
  delay: without('an utterance is transcribed at its end'),
});

export const turnShape = parameterShape(turnParameters);

export const noiseReduction = without('noise is not reduced');
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

export const item_id = z.string().meta({ description: 'Id of the utterance.' });
export const previous_item_id = z.string().nullable();
const ofHeard = { item_id, content_index: z.literal(0) };
const { usage } = transcriptionDoneSchema.shape;
const milliseconds = z.int().meta({ description: 'From the beginning of the audio of the session.' });
const error = z.object({
  type: z.string(),
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
});

/** The beginning of a message of a server. */
export const about = <Type extends string>(type: Type) => ({ type: z.literal(type), event_id: z.string() });
/** Prefix of the names of transcription events. */
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
