import { z } from 'zod';
import type { TranscriptionEvent } from '../../contract.ts';
import { collectTranscription, type TranscriptionResult } from '../result.ts';
import { findModel } from '../../../server/call.ts';
import type { ApiResponse } from '../../../server/contract.ts';
import { eventStreamResponse } from '../../../server/event-stream-response.ts';
import { jsonResponse, textResponse } from '../../../server/responses.ts';
import type { Route } from '../../../server/route.ts';
import { awaitRun, startRun } from '../../../server/run.ts';
import { toFrame } from '../../../server/sse.ts';
import { receiveUpload } from '../../../server/upload.ts';
import { fromTranscriptionRequest, type TranscriptionCall } from './from-request.ts';
import {
  transcriptionEventSchema,
  transcriptionRequestSchema,
  transcriptionSchema,
  verboseTranscriptionSchema,
} from './schema.ts';
import { createTranscriptionStreamer } from './to-events.ts';
import { toPlainText, toSubtitles, toTranscription, toVerboseTranscription } from './to-response.ts';

const text = { name: 'TranscriptionText', schema: z.string() };

/** `POST /audio/transcriptions` */
export const audioTranscriptions: Route = {
  method: 'POST',
  path: '/audio/transcriptions',
  operationId: 'createTranscription',
  summary: 'Write down what is said in a recording, at once or as a stream of server-sent events.',
  isInference: true,
  requestBody: {
    name: 'TranscriptionRequest',
    schema: transcriptionRequestSchema,
    mediaType: 'multipart/form-data',
  },
  responses: {
    'application/json': {
      name: 'Transcription',
      schema: z.union([verboseTranscriptionSchema, transcriptionSchema]),
    },
    'text/plain': text,
    'application/x-subrip': text,
    'text/vtt': text,
    'text/event-stream': { name: 'TranscriptionEvent', schema: transcriptionEventSchema },
  },
  errors: ['unsupported_feature'],
  async handle(call) {
    const { fields, path, discard } = await receiveUpload(call, 'file');
    try {
      const asked = fromTranscriptionRequest(fields);
      const { id: model } = findModel(call, asked.model, 'transcription');
      call.meter.assertModel(model);
      const request = { ...asked.request, model, audio: { path } };
      if (!asked.stream) {
        const result = await awaitRun(call, {
          start: (options) => collectTranscription(call.inference.transcribe(request, options)),
          count: () => 0,
        });
        await discard();
        return toResponse(result, asked);
      }
      const events = await startRun(call, {
        start: (options) => call.inference.transcribe(request, options),
        count: () => 0,
      });
      const toEvents = createTranscriptionStreamer();
      return await eventStreamResponse(call, {
        events: withEnd(events, discard),
        toFrames: (event: TranscriptionEvent) => toEvents(event).map(toFrame).join(''),
      });
    } catch (error) {
      await discard();
      throw error;
    }
  },
};

function toResponse(
  result: TranscriptionResult,
  { format, request, segments }: TranscriptionCall,
): ApiResponse {
  switch (format) {
    case 'json':
      return jsonResponse(200, toTranscription(result));
    case 'verbose_json': {
      const words = request.wordTimestamps === true;
      return jsonResponse(200, toVerboseTranscription(result, { segments, words }));
    }
    case 'text':
      return textResponse('text/plain', toPlainText(result));
    case 'srt':
      return textResponse('application/x-subrip', toSubtitles(result, 'srt'));
    case 'vtt':
      return textResponse('text/vtt', toSubtitles(result, 'vtt'));
  }
}

/** Does something once an iteration has ended, however it did. */
function withEnd<Event>(events: AsyncIterator<Event>, end: () => Promise<void>): AsyncIterator<Event> {
  return {
    async next() {
      try {
        const result = await events.next();
        if (result.done === true) await end();
        return result;
      } catch (error) {
        await end();
        throw error;
      }
    },
    async return() {
      await events.return?.();
      await end();
      return { done: true, value: undefined };
    },
  };
}
