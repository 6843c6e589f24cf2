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

/** The output: the words of the speech, or their meaning in English. */
export const transcriptionTasks = ['transcribe', 'translate'] as const;

/** The output: the words of the speech, or their meaning in English. */
export type TranscriptionTask = (typeof transcriptionTasks)[number];

const fields = {
  /** The bytes of an audio file, or its path: wav, mp3, m4a, mp4, webm, ogg, flac or aiff. */
  audio: audioSource,
  /** ISO 639-1; found out when left out. */
  language: z.string().optional(),
  /** Text that comes before the audio: a guide to style and spelling, or the transcript so far. */
  prompt: z.string().optional(),
  /** Whether segments carry their words; default false. */
  wordTimestamps: z.boolean().default(false),
  /** Its own words, or their meaning in English, which not every model can write; default `transcribe`. */
  task: z.enum(transcriptionTasks).default('transcribe'),
  /** Whether the event `speakers` tells who says what, which needs the model's setting `diarization`; default false. */
  diarize: z.boolean().default(false),
  /** Whether each channel is transcribed by itself, 8 at most; default false, which hears the mean of the channels. */
  multichannel: z.boolean().default(false),
};

const table = new RequestTable('A transcription request', fields, transcriptionParameters);

/** A complete transcription request, as `completeTranscriptionRequest` leaves it. */
export interface TranscriptionRequest extends RequestOf<typeof fields, typeof transcriptionParameters> {}

/** A transcription request as a caller writes it: only `model` and `audio` are needed. */
export interface TranscriptionRequestInput extends InputOf<typeof fields, typeof transcriptionParameters> {}

/** Fills in the defaults of a transcription request and checks every bound that doesn't depend on the model. */
export function completeTranscriptionRequest(input: TranscriptionRequestInput): TranscriptionRequest {
  table.assertForm(input);
  const { audio, diarize, multichannel } = input;
  if (diarize && multichannel)
    throw fieldError('multichannel', 'expected false where speakers are told apart: they are in one channel');
  if (audio instanceof Uint8Array && audio.byteLength === 0)
    throw fieldError('file', 'expected an audio file, got no bytes');
  const request = table.complete(input);
  return { ...request, language: spokenLanguage(input.language) };
}
