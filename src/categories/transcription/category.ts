import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import { recognizers } from './architectures.ts';
import { diarizationModels } from './companions.ts';
import { writtenBy } from '../telemetry-messages.ts';
import type { TranscriptionEvent, TranscriptionModelInfo } from './events.ts';
import { defaultTranscriptionModel, transcriptionParameters } from './parameters.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
  type TranscriptionRequestInput,
} from './request.ts';
import { transcriptionSettings } from './settings.ts';
import { createTranscriptRecorder } from './telemetry.ts';
import { audioTranscriptions, audioTranslations } from './wire/endpoint.ts';
import { realtime } from './wire/live/endpoint.ts';

/** The in-process functions for transcription. */
export interface TranscriptionMethods {
  /** Writes down a recording, segment by segment; `collectTranscription` waits for the whole. */
  transcribe(request: TranscriptionRequestInput, options?: CallOptions): AsyncIterable<TranscriptionEvent>;
}

/** Transcription: a recording goes in, its text comes out. */
export const transcriptionCategory: CategoryDefinition<
  'transcription',
  TranscriptionRequestInput,
  TranscriptionRequest,
  TranscriptionEvent,
  TranscriptionModelInfo,
  typeof transcriptionSettings,
  TranscriptionMethods
> = {
  name: 'transcription',
  parameters: transcriptionParameters,
  settings: transcriptionSettings,
  architectures: recognizers,
  companions: diarizationModels,
  endpoints: [audioTranscriptions, audioTranslations, realtime],
  sample: { path: 'audio/transcriptions', form: '-F file=@speech.wav' },
  isStateless: false,
  defaultModel: defaultTranscriptionModel,
  methods: (run) => ({ transcribe: run }),
  complete: completeTranscriptionRequest,
  isOutput: ({ type }) => type === 'segment',
  isProgress: () => true,
  tally(event, { usage }) {
    if (event.type === 'segment') usage.audioSeconds = event.segment.endSeconds;
    else if (event.type === 'progress') usage.audioSeconds = event.seconds;
    else if (event.type === 'transcription-end') usage.audioSeconds = event.durationSeconds;
  },
  telemetry: {
    operation: 'generate_content',
    attributes: ({ temperature }) => ({
      'gen_ai.output.type': 'text',
      'gen_ai.request.temperature': temperature,
    }),
    content: ({ prompt }) => (prompt === undefined ? {} : writtenBy('user', prompt)),
    createRecorder: createTranscriptRecorder,
  },
};
