import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Endpoint, EndpointRun, Route } from '../../../contracts/endpoint.ts';
import type { ApiResponse } from '../../../contracts/http.ts';
import { InferenceError } from '../../../errors.ts';
import { jsonResponse } from '../../../http/responses.ts';
import { toFrame } from '../../../http/sse.ts';
import type { SpeechEvent } from '../events.ts';
import type { SpeechRequestInput } from '../request.ts';
import { fromSpeechRequest, type SpeechCall, speechForeignFields } from './from-request.ts';
import { speechAnswerSchema, speechEventSchema, speechRequestSchema } from './schema.ts';
import { toSpeechAnswer, toSpeechStreamEvents } from './to-answer.ts';
import { defaultVoice, toVoiceList, voiceListSchema } from './voices.ts';

type Pending = Promise<IteratorResult<SpeechEvent>>;

/** Resolves with the first piece. If all audio is ready by then, the response has a `content-length`. */
async function audioResponse(
  run: Pick<EndpointRun<never, SpeechEvent>, 'report'>,
  events: AsyncIterator<SpeechEvent>,
): Promise<ApiResponse> {
  const pieces: Uint8Array[] = [];
  let mediaType = 'application/octet-stream';
  for (;;) {
    const pending = events.next();
    // `undefined` if the event is pending.
    const result = await (pieces.length === 0 ? pending : Promise.race([pending, setImmediate(undefined)]));
    if (result === undefined) {
      const headers = {
        'content-type': mediaType,
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      };
      return { status: 200, headers, body: streamOf(run, { pieces, pending, events }) };
    }
    if (result.done === true) {
      const body = Buffer.concat(pieces);
      const headers = { 'content-type': mediaType, 'content-length': String(body.byteLength) };
      return { status: 200, headers, body };
    }
    if (result.value.type === 'speech-start') ({ mediaType } = result.value);
    if (result.value.type === 'audio') pieces.push(result.value.bytes);
  }
}

interface Source {
  readonly pieces: Uint8Array[];
  readonly pending: Pending;
  readonly events: AsyncIterator<SpeechEvent>;
}

/** Not a generator: `return` must end the run immediately, even while a piece is pending. */
function streamOf(
  run: Pick<EndpointRun<never, SpeechEvent>, 'report'>,
  { pieces, pending, events }: Source,
): AsyncIterableIterator<Uint8Array> {
  let next: Pending | undefined = pending;
  const body: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      const piece = pieces.shift();
      if (piece !== undefined) return { done: false, value: piece };
      try {
        for (;;) {
          const { done, value } = await (next ?? events.next());
          next = undefined;
          if (done === true) return { done: true, value: undefined };
          if (value.type === 'audio') return { done: false, value: value.bytes };
        }
      } catch (thrown) {
        const error = InferenceError.from(thrown);
        run.report(error);
        throw error;
      }
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
  return body;
}

const audio = { name: 'Audio', schema: z.string().meta({ format: 'binary' }) };

export const audioSpeech: Endpoint<SpeechCall, SpeechRequestInput, SpeechEvent> = {
  method: 'POST',
  path: '/audio/speech',
  operationId: 'createSpeech',
  summary: 'Synthesize speech from a text; the audio is streamed.',
  requestBody: { name: 'SpeechRequest', schema: speechRequestSchema, foreign: speechForeignFields },
  responses: {
    'audio/wav': audio,
    'audio/pcm': audio,
    'audio/mpeg': audio,
    'audio/ogg': audio,
    'audio/aac': audio,
    'audio/flac': audio,
    'application/json': { name: 'SpeechAnswer', schema: speechAnswerSchema },
    'text/event-stream': { name: 'SpeechEvent', schema: speechEventSchema },
  },
  errors: ['unsupported_feature'],
  read: fromSpeechRequest,
  async answer(run, { request, streamFormat }) {
    const asked = { voice: defaultVoice(run.model), ...request, model: run.model.id };
    if (streamFormat === 'audio') return audioResponse(run, await run.open(asked));
    if (streamFormat === 'json') {
      const words = request.wordTimestamps === true;
      return jsonResponse(200, toSpeechAnswer(await run.collect(asked), { words }));
    }
    return run.stream(asked, (event) => toSpeechStreamEvents(event).map(toFrame).join(''));
  },
};

export const audioVoices: Route = {
  method: 'GET',
  path: '/audio/voices',
  operationId: 'listVoices',
  summary: 'The voices of the speech models.',
  queryParameters: { model: { description: 'Id of a speech model; default: all.', modelOf: 'speech' } },
  responses: { 'application/json': { name: 'VoiceList', schema: voiceListSchema } },
  errors: ['invalid_request', 'model_not_found'],
  async handle({ query, models, findModel }) {
    const id = query.get('model');
    return jsonResponse(200, toVoiceList(id === null ? models() : [findModel(id, 'speech')]));
  },
};
