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
export async function runSpeech(
  model: RemoteModel,
  request: SpeechRequest & CompleteRequest,
  options: PipelineRunOptions,
  add: (event: SpeechEvent) => void,
): Promise<void> {
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
  add({ type: 'speech-start', mediaType: mediaTypes[format], sampleRateHz });
  let size = 0;
  const answer = async (server: ApiEndpoint, pass: typeof add): Promise<void> => {
    const { response, clock } = await callApi(server, call);
    try {
      for await (const bytes of readBytes(response, { clock, maxBytes: maxAudioBytes })) {
        size += bytes.byteLength;
        pass({ type: 'audio', bytes });
      }
    } catch (error) {
      throw unreachable(error);
    }
  };
  await model.servers.relay(answer, add, { signal: options.signal });
  // The length of a compressed format is unknown here.
  const bytes = format === 'pcm' ? size : format === 'wav' ? Math.max(0, size - wavHeaderBytes) : 0;
  add({ type: 'speech-end', durationSeconds: bytes / 2 / sampleRateHz });
}
