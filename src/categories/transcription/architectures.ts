import type { Architecture } from '../../contracts/architecture.ts';
import { moonshine, moonshineStreaming } from './architectures/moonshine/architecture.ts';
import { nemoCtc, nemoEncoderDecoder, nemoTransducer } from './architectures/nemo/architecture.ts';
import { whisper } from './architectures/whisper/architecture.ts';
import type { Recognizer } from './recognizer.ts';
import type { TranscriptionSettings } from './settings.ts';

export const recognizers: readonly Architecture<Recognizer, TranscriptionSettings>[] = [
  whisper,
  moonshine,
  moonshineStreaming,
  nemoCtc,
  nemoTransducer,
  nemoEncoderDecoder,
];
