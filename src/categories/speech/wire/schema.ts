import { z } from 'zod';
import { maxSpeechCharacters, speechParameters } from '../parameters.ts';
import { speechFormats } from '../../../core/audio/speech-formats.ts';
import { needs } from '../../../validation/json-schema.ts';
import { parameterShape, textField } from '../../../validation/parameter-schema.ts';
import type { Descriptions } from '../../../validation/describe-fields.ts';

/** Delivery: raw bytes, server-sent events with base64, or one JSON object with base64. */
export const streamFormats = ['audio', 'sse', 'json'] as const;

const timestampGranularities = ['word'] as const;

/** The body of a speech request. Unlisted fields are ignored or rejected first. */
export const speechRequestSchema = z
  .object({
    input: z.string().min(1).max(maxSpeechCharacters).meta({ description: 'The text to speak.' }),
    model: textField('Id of a speech model; default: the first one.'),
    response_format: z.enum(speechFormats).nullish().meta({
      description:
        'Format of the audio. `pcm` is 16-bit little-endian mono samples; formats except `wav` and `pcm` need an encoder.',
      default: speechFormats[0],
    }),
    stream_format: z.enum(streamFormats).nullish().meta({
      description:
        'Delivery: the streamed audio itself, server-sent events with base64, or one JSON object with base64.',
      default: streamFormats[0],
    }),
    timestamp_granularities: z.array(z.enum(timestampGranularities)).nullish().meta({
      description: 'Parts of the text to time, for the stream formats `sse` and `json`; default: no times.',
    }),
    ...parameterShape(speechParameters),
  })
  .meta({
    allOf: [
      needs(['timestamp_granularities', { type: 'array', minItems: 1 }], {
        stream_format: { enum: ['sse', 'json'] },
      }),
    ],
  });

/** A validated body of `POST /audio/speech`. */
export type SpeechRequestBody = z.infer<typeof speechRequestSchema>;

const seconds = z.number().meta({ description: 'Seconds from the beginning of the audio.' });

const wordSchema = z.object({
  word: z.string().meta({ description: 'As in the text, without surrounding punctuation.' }),
  offset: z.int().meta({ description: 'Offset of the word in `input`, in UTF-16 code units.' }),
  start: seconds,
  end: seconds,
});

/** The body of an answer with `stream_format: 'json'`. */
export const speechAnswerSchema = z.object({
  audio: z.string().meta({ contentEncoding: 'base64', description: 'The audio file.' }),
  media_type: z.string().meta({ description: 'Type of the file, such as `audio/wav`.' }),
  duration: z.number().meta({ description: 'Duration of the audio, in seconds; 0 if unknown.' }),
  words: z.array(wordSchema).optional().meta({ description: 'The spoken words, if requested.' }),
});

/** The body of an answer with `stream_format: 'json'`. */
export type SpeechAnswer = z.infer<typeof speechAnswerSchema>;

const noTokens = z.literal(0);

/** One event of an answer with `stream_format: 'sse'`. */
export const speechEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('speech.audio.delta'),
    audio: z.string().meta({ contentEncoding: 'base64', description: 'The next bytes of the audio file.' }),
  }),
  z
    .object({ type: z.literal('speech.audio.words'), words: z.array(wordSchema) })
    .meta({ description: 'The next words, if requested.' }),
  z.object({
    type: z.literal('speech.audio.done'),
    usage: z
      .object({ input_tokens: noTokens, output_tokens: noTokens, total_tokens: noTokens })
      .meta({ description: 'Speech is counted by request, not in tokens.' }),
  }),
]);

/** One event of an answer with `stream_format: 'sse'`. */
export type SpeechStreamEvent = z.infer<typeof speechEventSchema>;

export const speechDescriptions: Descriptions = {
  'SpeechEvent.type': 'Kind of the event.',
  words: 'The next words of the text, with their times.',
  input_tokens: 'Always 0.',
  output_tokens: 'Always 0.',
  total_tokens: 'Always 0.',
  voices: 'Voices of all speech models.',
  'voices.id': 'Id of the voice, for `voice` of a request.',
  'voices.name': 'Display name of the voice.',
  model: "Id of the voice's model.",
  'aliases.id': 'Voice name built into clients, such as `alloy`.',
  voice: 'Id of the voice used for it.',
};
