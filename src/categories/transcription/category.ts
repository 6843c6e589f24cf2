import type { CategoryDefinition } from '../../contracts/category.ts';
import type { CallOptions } from '../../contracts/run.ts';
import type { OutputRecorder } from '../../contracts/telemetry.ts';
import { writtenByUser, type SpanMessage } from '../telemetry-messages.ts';
import { heardSeconds, type TranscriptionEvent, type TranscriptionModelInfo } from './events.ts';
import { transcriptionModels } from './models.ts';
import { defaultTranscriptionModel, transcriptionParameters } from './parameters.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
  type TranscriptionRequestInput,
} from './request.ts';
import { transcriptionSettings } from './settings.ts';
import { transcriptionDescriptions } from './wire/schema.ts';
import { audioTranscriptions, audioTranslations } from './wire/endpoint.ts';

function createTranscriptRecorder(): OutputRecorder<TranscriptionEvent> {
  let content = '';
  let hasEnded = false;
  return {
    push(event) {
      if (event.type === 'segment') content += event.segment.text;
      else if (event.type === 'transcription-end') hasEnded = true;
    },
    attributes() {
      if (content === '' && !hasEnded) return {};
      const message: SpanMessage & { readonly finish_reason: string } = {
        role: 'assistant',
        parts: content === '' ? [] : [{ type: 'text', content }],
        finish_reason: hasEnded ? 'stop' : 'error',
      };
      return { 'gen_ai.output.messages': JSON.stringify([message]) };
    },
  };
}

export interface TranscriptionMethods {
  /** Transcribes a recording, segment by segment; `collectTranscription` waits for the whole. */
  transcribe(request: TranscriptionRequestInput, options?: CallOptions): AsyncIterable<TranscriptionEvent>;
}

export const transcriptionCategory: CategoryDefinition<
  'transcription',
  TranscriptionRequestInput,
  TranscriptionRequest,
  TranscriptionEvent,
  TranscriptionModelInfo,
  typeof transcriptionSettings,
  TranscriptionMethods
> = {
  ...transcriptionModels,
  parameters: transcriptionParameters,
  settings: transcriptionSettings,
  descriptions: transcriptionDescriptions,
  endpoints: [audioTranscriptions, audioTranslations],
  sample: { path: 'audio/transcriptions', form: '-F file=@speech.wav' },
  defaultModel: defaultTranscriptionModel,
  methods: (run) => ({ transcribe: run }),
  complete: completeTranscriptionRequest,
  isOutput: ({ type }) => type === 'segment',
  isProgress: () => true,
  tally(event, { usage }) {
    const { audioSeconds = 0 } = usage;
    if (event.type === 'segment') usage.audioSeconds = Math.max(audioSeconds, event.segment.endSeconds);
    else if (event.type === 'progress') usage.audioSeconds = event.seconds * (event.channels ?? 1);
    else if (event.type === 'transcription-end') usage.audioSeconds = heardSeconds(event);
  },
  telemetry: {
    operation: 'generate_content',
    attributes: ({ temperature }) => ({
      'gen_ai.output.type': 'text',
      'gen_ai.request.temperature': temperature,
    }),
    content: ({ prompt }) => (prompt === undefined ? {} : writtenByUser(prompt)),
    createRecorder: createTranscriptRecorder,
  },
};
