import { z } from 'zod';
import type { ApiResponse } from '../../../contracts/http.ts';
import type { Endpoint, UploadedForm } from '../../../contracts/endpoint.ts';
import { jsonResponse, textResponse } from '../../../http/responses.ts';
import { toFrame } from '../../../http/sse.ts';
import type { TranscriptionEvent } from '../events.ts';
import type { TranscriptionRequestInput } from '../request.ts';
import { collectTranscription, type TranscriptionResult } from '../result.ts';
import {
  fromTranscriptionRequest,
  fromTranslationRequest,
  transcriptionForeignFields,
  translationForeignFields,
  type TranscriptionCall,
} from './from-request.ts';
import {
  diarizedTranscriptionSchema,
  transcriptionEventSchema,
  transcriptionRequestSchema,
  transcriptionSchema,
  translationRequestSchema,
  verboseTranscriptionSchema,
} from './schema.ts';
import {
  toDiarizedTranscription,
  toPlainText,
  toSubtitles,
  toTranscription,
  toVerboseTranscription,
  createTranscriptionStreamer,
} from './to-response.ts';

const text = { name: 'TranscriptionText', schema: z.string() };

const wholeResponses = {
  'application/json': {
    name: 'Translation',
    schema: z.union([verboseTranscriptionSchema, transcriptionSchema]),
  },
  'text/plain': text,
  'application/x-subrip': text,
  'text/vtt': text,
};

type UploadedCall = TranscriptionCall & { readonly path: string };

export const audioTranscriptions: Endpoint<UploadedCall, TranscriptionRequestInput, TranscriptionEvent> = {
  method: 'POST',
  path: '/audio/transcriptions',
  operationId: 'createTranscription',
  summary: 'Transcribe a recording, complete or as a stream of server-sent events.',
  requestBody: {
    name: 'TranscriptionRequest',
    schema: transcriptionRequestSchema,
    foreign: transcriptionForeignFields,
    mediaType: 'multipart/form-data',
  },
  uploadField: 'file',
  responses: {
    ...wholeResponses,
    'application/json': {
      name: 'Transcription',
      schema: z.union([verboseTranscriptionSchema, diarizedTranscriptionSchema, transcriptionSchema]),
    },
    'text/event-stream': { name: 'TranscriptionEvent', schema: transcriptionEventSchema },
  },
  errors: ['unsupported_feature'],
  read(body) {
    const { fields, path } = body as UploadedForm;
    return { ...fromTranscriptionRequest(fields), path };
  },
  async answer(run, { path, ...asked }) {
    const request = { ...asked.request, model: run.model.id, audio: { path } };
    if (!asked.stream)
      return toResponse[asked.format](await collectTranscription(await run.collect(request)), asked);
    const toEvents = createTranscriptionStreamer();
    return run.stream(request, (event) => toEvents(event).map(toFrame).join(''));
  },
};

export const audioTranslations: typeof audioTranscriptions = {
  ...audioTranscriptions,
  path: '/audio/translations',
  operationId: 'createTranslation',
  summary: 'Transcribe a recording in any language into English.',
  requestBody: {
    name: 'TranslationRequest',
    schema: translationRequestSchema,
    foreign: translationForeignFields,
    mediaType: 'multipart/form-data',
  },
  responses: wholeResponses,
  read(body) {
    const { fields, path } = body as UploadedForm;
    return { ...fromTranslationRequest(fields), path };
  },
};

type ToResponse = (result: TranscriptionResult, call: TranscriptionCall) => ApiResponse;

const toResponse: Readonly<Record<TranscriptionCall['format'], ToResponse>> = {
  json: (result) => jsonResponse(200, toTranscription(result)),
  verbose_json(result, { request: { task, wordTimestamps: words = false }, segments }) {
    return jsonResponse(200, toVerboseTranscription(result, { segments, words, task }));
  },
  diarized_json: (result) => jsonResponse(200, toDiarizedTranscription(result)),
  text: (result) => textResponse('text/plain', toPlainText(result)),
  srt: (result) => textResponse('application/x-subrip', toSubtitles(result, 'srt')),
  vtt: (result) => textResponse('text/vtt', toSubtitles(result, 'vtt')),
};
