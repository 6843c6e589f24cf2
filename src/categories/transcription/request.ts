import { fieldError } from '../../errors.ts';
import { transcriptionParameters } from './parameters.ts';

import { z } from 'zod';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';
import type { SchemaOf } from '../../validation/setting-table.ts';
import { spokenLanguage } from '../../core/text/spoken-language.ts';
import { expecting } from '../../validation/expecting.ts';

/** The bytes of an audio file, or its path. */
export type AudioSource = Uint8Array | { readonly path: string };

const audioSource: SchemaOf<AudioSource> = z.union(
  [z.instanceof(Uint8Array), z.strictObject({ path: z.string() })],
  expecting('the bytes of an audio file or { path: … }'),
);

export const transcriptionTasks = ['transcribe', 'translate'] as const;

/** The output: the spoken words, or an English translation. */
export type TranscriptionTask = (typeof transcriptionTasks)[number];

const fields = {
  /** The bytes of an audio file, or its path: wav, mp3, m4a, mp4, webm, ogg, flac or aiff. */
  audio: audioSource,
  /** ISO 639-1; default: detected. */
  language: z.string().optional(),
  /** Text before the audio: a guide to style and spelling, or the transcript so far. */
  prompt: z.string().optional(),
  /** Add words to segments; default false. */
  wordTimestamps: z.boolean().default(false),
  /** The spoken words, or an English translation if the model supports it; default `transcribe`. */
  task: z.enum(transcriptionTasks).default('transcribe'),
  /** Send a `speakers` event with the speaker of each part; requires the model's setting `diarization`. Default false. */
  diarize: z.boolean().default(false),
  /** Transcribe each channel separately, 8 at most; default false, which mixes the channels. */
  multichannel: z.boolean().default(false),
};

const table = new RequestTable('A transcription request', fields, transcriptionParameters);

/** A transcription request with the defaults of `completeTranscriptionRequest`. */
export interface TranscriptionRequest extends RequestOf<typeof fields, typeof transcriptionParameters> {}

/** A transcription request as a caller writes it: only `model` and `audio` are required. */
export interface TranscriptionRequestInput extends InputOf<typeof fields, typeof transcriptionParameters> {}

export function completeTranscriptionRequest(input: TranscriptionRequestInput): TranscriptionRequest {
  table.assertForm(input);
  const { audio, diarize, multichannel } = input;
  if (diarize && multichannel)
    throw fieldError('multichannel', 'expected false with diarization, which works on one channel');
  if (audio instanceof Uint8Array && audio.byteLength === 0)
    throw fieldError('file', 'expected an audio file, got no bytes');
  const request = table.complete(input);
  return { ...request, language: spokenLanguage(input.language) };
}
