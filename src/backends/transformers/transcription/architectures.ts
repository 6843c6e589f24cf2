import type { Recognizer } from '../../../categories/transcription/recognizer.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import { transformersFiles } from '../files.ts';

const namesClass =
  (pattern: RegExp): NonNullable<Architecture['recognize']> =>
  ({ config: { architectures } }) =>
    Array.isArray(architectures) && architectures.some((name) => pattern.test(String(name)));

/** Recognisers by connectionist temporal classification. */
export const ctc: Architecture<Recognizer> = {
  name: 'ctc',
  modelTypes: ['parakeet_ctc'],
  sharedModelTypes: ['wav2vec2', 'wav2vec2-bert', 'unispeech', 'unispeech-sat', 'wavlm', 'hubert'],
  recognize: namesClass(/ForCTC$/),
  files: transformersFiles,
  open: async (spec) => (await import('./open-recognizer.ts')).openCtcRecognizer(spec),
};

/** Recognisers of an encoder and a decoder. */
export const encoderDecoder: Architecture<Recognizer> = {
  name: 'encoder-decoder',
  modelTypes: ['moonshine', 'cohere_asr'],
  sharedModelTypes: ['speecht5'],
  recognize: namesClass(/ForSpeechSeq2Seq$|SpeechToText$/),
  files: transformersFiles,
  open: async (spec) => (await import('./open-recognizer.ts')).openSeq2SeqRecognizer(spec),
};
