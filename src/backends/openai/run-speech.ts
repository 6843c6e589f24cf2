import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import type { SpeechEvent } from '../../categories/speech/events.ts';
import { speechParameters } from '../../categories/speech/parameters.ts';
import type { SpeechRequest } from '../../categories/speech/request.ts';
import { unsupportedError } from '../../errors.ts';
import { mediaTypes } from '../../runtime/audio-encode/contract.ts';
import { readBytes } from '../../runtime/http/answer-body.ts';
import { callApi, toCall, unreachable } from './api-client.ts';
import type { ApiEndpoint } from './server.ts';
import type { RemoteModel } from './remote-model.ts';

/** The sample rate of OpenAI-compatible servers, with 16 bits. */
const sampleRateHz = 24_000;
const wavHeaderBytes = 44;
/** Twelve hours of 24 kHz. */
const maxAudioBytes = 2 ** 31;

/** Runs a speech request on an OpenAI-compatible server. */
export async function* runSpeech(
  model: RemoteModel,
  request: SpeechRequest & CompleteRequest,
  options: PipelineRunOptions,
): AsyncGenerator<SpeechEvent> {
  const { input, format, given = Object.keys(speechParameters) } = request;
  const { voice, speed, markup, wordTimestamps } = request;
  if (wordTimestamps) {
    const reason = "expected none: a remote server's speech has no word times";
    throw unsupportedError('timestamp_granularities', reason);
  }
  const fields = {
    input,
    // The OpenAI API requires a voice.
    voice,
    response_format: format,
    ...(given.includes('speed') ? { speed } : {}),
    ...(given.includes('markup') ? { markup } : {}),
  };
  const call = toCall(model, { path: '/audio/speech', param: 'input', fields }, options);
  yield { type: 'speech-start', mediaType: mediaTypes[format], sampleRateHz };
  let size = 0;
  const ask = async function* (server: ApiEndpoint): AsyncGenerator<Uint8Array> {
    const { response, clock } = await callApi(server, call);
    try {
      yield* readBytes(response, { clock, maxBytes: maxAudioBytes });
    } catch (error) {
      throw unreachable(error);
    }
  };
  for await (const bytes of model.servers.stream(ask, options)) {
    size += bytes.byteLength;
    yield { type: 'audio', bytes };
  }
  // The length of a compressed format is unknown here.
  const bytes = format === 'pcm' ? size : format === 'wav' ? Math.max(0, size - wavHeaderBytes) : 0;
  yield { type: 'speech-end', durationSeconds: bytes / 2 / sampleRateHz };
}
