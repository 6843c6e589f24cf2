import type { Architecture } from '../../../../contracts/architecture.ts';
import type { Recognizer } from '../../recognizer.ts';
import { ctcFiles, encoderDecoderFiles, transducerFiles } from './files.ts';

/** NeMo's CTC recognizers, such as Parakeet CTC. */
export const nemoCtc: Architecture<Recognizer> = {
  name: 'nemo-ctc',
  modelTypes: ['nemo-conformer-ctc'],
  files: ctcFiles,
  open: async (spec, sessions) => (await import('./open-ctc-transducer.ts')).openCtc(spec, sessions),
};

/** NeMo's transducers, with or without durations, such as Parakeet TDT. */
export const nemoTransducer: Architecture<Recognizer> = {
  name: 'nemo-transducer',
  modelTypes: ['nemo-conformer-tdt', 'nemo-conformer-rnnt'],
  files: transducerFiles,
  open: async (spec, sessions) => (await import('./open-ctc-transducer.ts')).openTransducer(spec, sessions),
};

/** NeMo's encoder-decoders with a prompt for task and languages, such as Canary. */
export const nemoEncoderDecoder: Architecture<Recognizer> = {
  name: 'nemo-encoder-decoder',
  modelTypes: ['nemo-conformer-aed'],
  files: encoderDecoderFiles,
  open: async (spec, sessions) =>
    (await import('./open-encoder-decoder.ts')).openEncoderDecoder(spec, sessions),
};
