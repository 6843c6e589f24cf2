import { Buffer } from 'node:buffer';
import type { SharedV4Warning, SpeechModelV4 } from '@ai-sdk/provider';
import { speechParameters } from '../categories/speech/parameters.ts';
import { defaultVoice } from '../categories/speech/wire/voices.ts';
import type { SpeechFormat } from '../core/audio/speech-formats.ts';
import type { InferenceError } from '../errors.ts';
import { answer, identityOf, start, type Host, type RequestOf } from './call.ts';
import { collectRun, openRun, type Reduced } from './open-run.ts';
import { createOptionsReader, toSdkName, type FieldNames } from './provider-options.ts';

const names: FieldNames = {
  own: {
    model: 'modelId',
    input: 'text',
    voice: 'voice',
    speed: 'speed',
    response_format: 'outputFormat',
  },
};
const rename = toSdkName(names);
const readOptions = createOptionsReader(speechParameters, names, {});

const unsupported = (feature: string, details: string): SharedV4Warning => ({
  type: 'unsupported',
  feature,
  details,
});

/** Texts to speech. */
export function createSpeechModel(host: Host<'speech'>): SpeechModelV4 {
  return {
    ...identityOf(host),
    doGenerate: (call) =>
      answer(host, call, rename, async () => {
        readOptions(call);
        const { text, instructions, language, speed, outputFormat = 'wav', abortSignal: signal } = call;
        const model = host.inference.models().find(({ id }) => id === host.modelId);
        const request = {
          input: text,
          voice: call.voice ?? (model && defaultVoice(model)),
          speed,
          // One that doesn't exist is refused like one without an encoder.
          format: outputFormat as SpeechFormat,
        };
        const run = await openRun((asked) => start(host, asked, { signal }), request, withWav);
        const events = await collectRun(run);
        return {
          audio: Buffer.concat(events.flatMap((event) => (event.type === 'audio' ? [event.bytes] : []))),
          response: { timestamp: new Date(), modelId: host.modelId },
          warnings: [
            ...run.warnings,
            ...(instructions === undefined
              ? []
              : [unsupported('instructions', 'The voice is all there is.')]),
            ...(language === undefined ? [] : [unsupported('language', 'The voice decides on it.')]),
          ],
        };
      }),
  };
}

/** Formats beside `wav` and `pcm` need an encoder that may be missing. */
function withWav(
  request: RequestOf<'speech'>,
  { param, message }: InferenceError,
): Reduced<RequestOf<'speech'>> | undefined {
  if (param !== 'response_format' || request.format === 'wav') return undefined;
  const reason = message.replace(param, 'outputFormat');
  return {
    request: { ...request, format: 'wav' },
    warning: unsupported('outputFormat', `The audio is WAV. ${reason}`),
  };
}
