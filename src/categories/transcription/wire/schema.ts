import { z } from 'zod';
import { transcriptionFormats, transcriptionParameters, type TranscriptionFormat } from '../parameters.ts';
import { transcriptionTasks } from '../request.ts';
import { needs } from '../../../validation/json-schema.ts';
import { parameterShape } from '../../../validation/parameter-schema.ts';
import type { Descriptions } from '../../../validation/describe-fields.ts';

export const streamedFormats: readonly string[] = [
  'json',
  'text',
  'diarized_json',
] satisfies TranscriptionFormat[];

const timestampGranularities = ['segment', 'word'] as const;

/** The fields of a transcription form, without the file. */
export const transcriptionFieldsSchema = z.object({
  model: z.string().optional().meta({
    description: 'Id of a transcription model; default: the first one.',
  }),
  language: z.string().optional().meta({
    description: 'Language of the audio, as ISO 639-1; default: auto-detected by models that can.',
  }),
  prompt: z.string().optional().meta({
    description: 'Text before the audio: a guide to style and spelling, or the transcript so far.',
  }),
  response_format: z.enum(transcriptionFormats).optional().meta({
    description:
      'Format of the transcript. `diarized_json` identifies speakers, if the model has the setting `diarization`.',
    default: transcriptionFormats[0],
  }),
  timestamp_granularities: z
    .array(z.enum(timestampGranularities))
    .optional()
    .meta({
      description: 'Parts of `verbose_json` with times; alias `timestamp_granularities[]`.',
      default: [timestampGranularities[0]],
    }),
  stream: z.boolean().optional().meta({
    description: 'Stream the text as server-sent events; for `json`, `text` and `diarized_json`.',
    default: false,
  }),
  multichannel: z.boolean().optional().meta({
    description:
      'Transcribe each channel separately, 8 at most, and merge them by time: segments, words and deltas have a `channel`. Each channel counts as separate audio.',
    default: false,
  }),
  ...parameterShape(transcriptionParameters),
});

/** The fields of a translation form, without the file. */
export const translationFieldsSchema = transcriptionFieldsSchema
  .pick({ model: true, language: true, prompt: true, temperature: true })
  .extend({
    response_format: z.enum(transcriptionFormats).exclude(['diarized_json']).optional().meta({
      description: 'Format of the transcript.',
      default: transcriptionFormats[0],
    }),
  });

const file = z.string().meta({
  format: 'binary',
  description: 'The audio: wav, mp3, m4a, mp4, mpeg, mpga, webm, ogg, flac or aiff, detected by content.',
});

/** A transcription form. */
export const transcriptionRequestSchema = z.object({ file, ...transcriptionFieldsSchema.shape }).meta({
  allOf: [
    needs(['timestamp_granularities', { contains: { const: 'word' } }], {
      response_format: { const: 'verbose_json' },
    }),
    needs(['stream', { const: true }], { response_format: { enum: streamedFormats } }, []),
  ],
});

/** A translation form. */
export const translationRequestSchema = z.object({ file, ...translationFieldsSchema.shape });

const channel = z.int().optional().meta({ description: 'Counts from 0; only with `multichannel`.' });
const seconds = z.number().meta({ description: 'Seconds from the beginning of the audio.' });

const usageSchema = z.object({
  type: z.literal('duration'),
  seconds: z.number().meta({ description: 'Seconds of audio over all transcribed channels, rounded up.' }),
});

/** The body of an answer with `response_format: 'json'`. */
export const transcriptionSchema = z.object({ text: z.string(), usage: usageSchema });

/** The body of an answer with `response_format: 'verbose_json'`. */
export const verboseTranscriptionSchema = z.object({
  task: z.enum(transcriptionTasks),
  language: z
    .string()
    .meta({ description: 'English name of the language in lower case, such as `english`.' }),
  duration: z.number().meta({ description: 'Of the audio, in seconds.' }),
  text: z.string(),
  segments: z
    .array(
      z.object({
        id: z.int(),
        seek: z.int().meta({ description: 'Start of its window, in hundredths of a second.' }),
        start: seconds,
        end: seconds,
        text: z.string(),
        tokens: z.array(z.int()),
        temperature: z.number(),
        avg_logprob: z.number(),
        compression_ratio: z.number(),
        no_speech_prob: z.number(),
        channel,
      }),
    )
    .optional(),
  words: z.array(z.object({ word: z.string(), start: seconds, end: seconds, channel })).optional(),
  usage: usageSchema,
});

/** A part of a transcript by one speaker; the same in an answer and as an event. */
const speakerSegmentSchema = z.object({
  type: z.literal('transcript.text.segment'),
  id: z.string(),
  start: seconds,
  end: seconds,
  text: z.string(),
  speaker: z.string().meta({ description: '`A`, `B`, … in order of appearance.' }),
});

export const diarizedTranscriptionSchema = z.object({
  task: z.literal('transcribe'),
  duration: z.number().meta({ description: 'Of the audio, in seconds.' }),
  text: z.string(),
  segments: z.array(speakerSegmentSchema),
  usage: usageSchema,
});

const tokenUsageSchema = z.object({
  type: z.literal('tokens'),
  input_tokens: z.int().meta({ description: 'Audio tokens; tokens of `prompt` are not counted.' }),
  input_token_details: z.object({ audio_tokens: z.int() }),
  output_tokens: z.int().meta({ description: 'Tokens of text and timestamps.' }),
  total_tokens: z.int(),
});

/** The last event of a streamed answer. */
export const transcriptionDoneSchema = z.object({
  type: z.literal('transcript.text.done'),
  text: z.string(),
  usage: tokenUsageSchema,
});

/** One event of a streamed answer. */
export const transcriptionEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('transcript.text.delta'), delta: z.string(), channel }),
  speakerSegmentSchema,
  transcriptionDoneSchema,
]);

/** The body of an answer with `response_format: 'json'`. */
export type Transcription = z.infer<typeof transcriptionSchema>;
/** The body of an answer with `response_format: 'verbose_json'`. */
export type VerboseTranscription = z.infer<typeof verboseTranscriptionSchema>;
/** The body of an answer with `response_format: 'diarized_json'`. */
export type DiarizedTranscription = z.infer<typeof diarizedTranscriptionSchema>;
/** One event of a streamed answer. */
export type TranscriptionStreamEvent = z.infer<typeof transcriptionEventSchema>;

/** Fields of recognized speech, in answers and realtime sessions. */
export const heardDescriptions: Descriptions = {
  usage: 'Audio or tokens used by the request.',
  'usage.type': 'Unit of the counts.',
  delta: 'The next characters of the transcript.',
  input_token_details: 'Parts of `input_tokens`.',
  audio_tokens: 'Tokens of audio: all of `input_tokens`.',
  total_tokens: 'Tokens of input and output together.',
};

export const transcriptionDescriptions: Descriptions = {
  ...heardDescriptions,
  task: 'Whether the text is in the language of the audio, or translated into English.',
  text: 'The whole transcript.',
  segments: 'Pieces of the transcript with times; absent in `verbose_json` if only words were requested.',
  'transcript.text.segment/id': 'Id of the segment, from `seg_001`.',
  'transcript.text.segment/text': 'Text of the segment.',
  'segments.text': 'Text of the segment.',
  tokens: "Ids of the text's tokens.",
  temperature: 'Decoding temperature of the segment.',
  avg_logprob: 'Mean log probability of the tokens; lower is less certain.',
  compression_ratio: 'Length of the text divided by its compressed length; high for repetitions.',
  no_speech_prob: 'Probability that the window has no speech, 0 to 1; 0 for models without one.',
  words: 'Words with times; absent unless requested by `timestamp_granularities`.',
  word: 'Text of the word.',
  'TranscriptionEvent.type': 'Kind of the event.',
  id: 'Number of the segment, from 0.',
};
