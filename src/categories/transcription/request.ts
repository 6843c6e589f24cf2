import { fieldError } from '../../errors.ts';
import { transcriptionParameters, type TranscriptionParameters } from './parameters.ts';

import { z } from 'zod';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';
import { spokenLanguage } from '../../core/text/spoken-language.ts';
import { expecting } from '../../validation/expecting.ts';

/** The bytes of an audio file, or its path. */
export type AudioSource = Uint8Array | { readonly path: string };

/** The output: the words of the speech, or their meaning in English. */
export const transcriptionTasks = ['transcribe', 'translate'] as const;

/** The output: the words of the speech, or their meaning in English. */
export type TranscriptionTask = (typeof transcriptionTasks)[number];

/** A complete transcription request, as `completeTranscriptionRequest` leaves it. */
export interface TranscriptionRequest extends TranscriptionParameters {
  readonly model: string;
  /** Its type is found from its bytes. */
  readonly audio: AudioSource;
  /** ISO 639-1; `undefined` to find it out. */
  readonly language: string | undefined;
  /** Text that comes before the audio: a guide to style and spelling, or the transcript so far. */
  readonly prompt: string | undefined;
  /** Whether segments carry their words. */
  readonly wordTimestamps: boolean;
  readonly task: TranscriptionTask;
  /** Whether the event `speakers` tells who says what. */
  readonly diarize: boolean;
  /** Whether each channel is transcribed by itself. */
  readonly multichannel: boolean;
}

/** A transcription request as a caller writes it: only `model` and `audio` are needed. */
export interface TranscriptionRequestInput extends Partial<TranscriptionParameters> {
  readonly model: string;
  /** The bytes of an audio file, or its path: wav, mp3, m4a, mp4, webm, ogg, flac or aiff. */
  readonly audio: AudioSource;
  /** ISO 639-1; found out when left out. */
  readonly language?: string | undefined;
  /** Text that comes before the audio: a guide to style and spelling, or the transcript so far. */
  readonly prompt?: string | undefined;
  /** Whether segments carry their words; default false. */
  readonly wordTimestamps?: boolean | undefined;
  /** Its own words, or their meaning in English, which not every model can write; default `transcribe`. */
  readonly task?: TranscriptionTask | undefined;
  /** Whether the event `speakers` tells who says what, which needs the model's setting `diarization`; default false. */
  readonly diarize?: boolean | undefined;
  /** Whether each channel is transcribed by itself, 8 at most; default false, which hears the mean of the channels. */
  readonly multichannel?: boolean | undefined;
}

const fields = requestTable(
  {
    audio: z.union(
      [z.instanceof(Uint8Array), z.strictObject({ path: z.string() })],
      expecting('the bytes of an audio file or { path: … }'),
    ),
    language: z.string().optional(),
    prompt: z.string().optional(),
    wordTimestamps: z.boolean().optional(),
    task: z.enum(transcriptionTasks).optional(),
    diarize: z.boolean().optional(),
    multichannel: z.boolean().optional(),
  },
  transcriptionParameters,
);

/** Fills in the defaults of a transcription request and checks every bound that doesn't depend on the model. */
export function completeTranscriptionRequest(input: TranscriptionRequestInput): TranscriptionRequest {
  assertRequest('A transcription request', fields, input);
  const { model, audio, prompt, wordTimestamps = false, task = 'transcribe' } = input;
  const { diarize = false, multichannel = false } = input;
  if (diarize && multichannel)
    throw fieldError('multichannel', 'expected false where speakers are told apart: they are in one channel');
  if (audio instanceof Uint8Array && audio.byteLength === 0)
    throw fieldError('file', 'expected an audio file, got no bytes');
  const parameters = resolveRequestParameters(transcriptionParameters, input);
  const language = spokenLanguage(input.language);
  return { ...parameters, model, audio, language, prompt, wordTimestamps, task, diarize, multichannel };
}
