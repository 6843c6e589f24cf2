import type { CategoryModels, Companions } from '../../contracts/category.ts';
import { oneGraph, singleOrOnlyGraph } from '../../folder/model-files.ts';
import type { Architecture } from '../../contracts/architecture.ts';
import { moonshine, moonshineStreaming } from './architectures/moonshine/architecture.ts';
import { nemoCtc, nemoEncoderDecoder, nemoTransducer } from './architectures/nemo/architecture.ts';
import { whisper } from './architectures/whisper/architecture.ts';
import type { Recognizer } from './recognizer.ts';
import type { TranscriptionSettings } from './settings.ts';

const recognizers: readonly Architecture<Recognizer, TranscriptionSettings>[] = [
  whisper,
  moonshine,
  moonshineStreaming,
  nemoCtc,
  nemoTransducer,
  nemoEncoderDecoder,
];

const diarizationModels: Companions = {
  setting: 'diarization',
  fields: ['segmentation', 'embedding'],
  files: oneGraph(['config.json'], singleOrOnlyGraph),
};

export const transcriptionModels = {
  name: 'transcription',
  architectures: recognizers,
  companions: diarizationModels,
  isStateless: false,
} satisfies CategoryModels<'transcription'>;
