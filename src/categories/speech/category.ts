import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import { writtenByUser } from '../telemetry-messages.ts';
import type { SpeechEvent, SpeechModelInfo } from './events.ts';
import { speechModels } from './models.ts';
import { speechParameters } from './parameters.ts';
import { completeSpeechRequest, type SpeechRequest, type SpeechRequestInput } from './request.ts';
import { speechSettings } from './settings.ts';
import { speechDescriptions } from './wire/schema.ts';
import { audioSpeech, audioVoices } from './wire/endpoint.ts';
import { defaultVoice } from './wire/voices.ts';

export interface SpeechMethods {
  /** Synthesizes speech from a text, streamed in pieces. */
  speak(request: SpeechRequestInput, options?: CallOptions): AsyncIterable<SpeechEvent>;
}

export const speechCategory: CategoryDefinition<
  'speech',
  SpeechRequestInput,
  SpeechRequest,
  SpeechEvent,
  SpeechModelInfo,
  typeof speechSettings,
  SpeechMethods
> = {
  ...speechModels,
  parameters: speechParameters,
  settings: speechSettings,
  descriptions: speechDescriptions,
  endpoints: [audioSpeech, audioVoices],
  sample: { path: 'audio/speech', body: { input: 'a red circle above a blue square' }, file: 'speech.wav' },
  warmUp: { input: 'Hello.', format: 'pcm' },
  parameterBounds: (model) => ({ voice: { default: defaultVoice(model) } }),
  methods: (run) => ({ speak: run }),
  complete: completeSpeechRequest,
  estimateCost: ({ input }) => input.length,
  isOutput: ({ type }) => type === 'audio',
  tally(event, { usage }) {
    if (event.type === 'speech-end') usage.audioSeconds = event.durationSeconds;
  },
  telemetry: {
    operation: 'generate_content',
    attributes: () => ({ 'gen_ai.output.type': 'speech' }),
    content: ({ input }) => writtenByUser(input),
  },
};
