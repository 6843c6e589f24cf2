import { z } from 'zod';
import { maxSpeechCharacters, speechParameters } from '../parameters.ts';
import { speechFormats } from '../../../core/audio/speech-formats.ts';
import { parameterShape } from '../../../validation/parameter-schema.ts';

/** Form of delivery: the bytes, or server-sent events with base64. */
export const streamFormats = ['audio', 'sse'] as const;

/** The body of a speech request. Fields that are not listed change nothing or are refused before. */
export const speechRequestSchema = z.object({
  input: z.string().min(1).max(maxSpeechCharacters).meta({ description: 'The text to speak.' }),
  model: z.string().nullish().meta({ description: 'Id of a speech model; default: the first one.' }),
  response_format: z.enum(speechFormats).nullish().meta({
    description:
      'Format of the audio. `pcm` is samples of 16 bits, little-endian, mono; those beyond need an encoder.',
    default: speechFormats[0],
  }),
  stream_format: z.enum(streamFormats).nullish().meta({
    description:
      'Whether the answer is the audio itself, sent as it is made, or server-sent events with base64 of it.',
    default: streamFormats[0],
  }),
  ...parameterShape(speechParameters),
});

/** A checked body of `POST /audio/speech`. */
export type SpeechRequestBody = z.infer<typeof speechRequestSchema>;

const noTokens = z.literal(0);

/** One event of an answer of the stream format `sse`. */
export const speechEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('speech.audio.delta'),
    audio: z.string().meta({ contentEncoding: 'base64', description: 'The next bytes of the audio file.' }),
  }),
  z.object({
    type: z.literal('speech.audio.done'),
    usage: z
      .object({ input_tokens: noTokens, output_tokens: noTokens, total_tokens: noTokens })
      .meta({ description: 'Speech counts requests, not tokens.' }),
  }),
]);

/** One event of an answer of the stream format `sse`. */
export type SpeechStreamEvent = z.infer<typeof speechEventSchema>;
