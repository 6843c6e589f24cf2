import type { Architecture } from '../../contracts/architecture.ts';
import { hasClass } from '../../folder/model-files.ts';
import type { Recognizer } from '../../categories/transcription/recognizer.ts';
import { transformersFiles as files } from './files.ts';
import type { Synthesizer } from '../../categories/speech/synthesizer.ts';
import type { Detector } from '../../categories/detection/detector.ts';
import type { DetectionSettings } from '../../categories/detection/settings.ts';
import type { openPairedEncoder } from './embedding/open-paired-encoder.ts';
import type { Encoder } from '../../categories/embedding/encoder.ts';
import type { EmbeddingSettings } from '../../categories/embedding/settings.ts';

const pairedEncoder = (
  name: string,
  modelTypes: readonly string[],
  type: Parameters<typeof openPairedEncoder>[1],
): Architecture<Encoder, EmbeddingSettings> => ({
  name,
  modelTypes,
  files,
  open: async (spec) => (await import('./embedding/open-paired-encoder.ts')).openPairedEncoder(spec, type),
});

/** OWL-ViT and OWLv2: each word is a separate query. */
const owl: Architecture<Detector, DetectionSettings> = {
  name: 'owl',
  modelTypes: ['owlvit', 'owlv2'],
  files,
  open: async (spec) => (await import('./detection/open-word-detector.ts')).openOwl(spec),
};

/** Grounding DINO: all words in one prompt. */
const groundingDino: Architecture<Detector, DetectionSettings> = {
  name: 'grounding-dino',
  modelTypes: ['grounding-dino'],
  files,
  open: async (spec) => (await import('./detection/open-word-detector.ts')).openGroundingDino(spec),
};

const synthesizer = (
  name: string,
  load: 'loadVits' | 'loadSpeechT5' | 'loadSupertonic',
): Architecture<Synthesizer> => ({
  name,
  modelTypes: [name],
  files,
  async open(spec) {
    const loaders = await import('./speech/open-synthesizer.ts');
    return loaders.openSynthesizer(spec, loaders[load]);
  },
});

const ctc: Architecture<Recognizer> = {
  name: 'ctc',
  modelTypes: ['parakeet_ctc'],
  sharedModelTypes: ['wav2vec2', 'wav2vec2-bert', 'unispeech', 'unispeech-sat', 'wavlm', 'hubert'],
  recognize: ({ config }) => hasClass(config, /ForCTC$/),
  files,
  open: async (spec) => (await import('./transcription/open-recognizer.ts')).openCtcRecognizer(spec),
};

const encoderDecoder: Architecture<Recognizer> = {
  name: 'encoder-decoder',
  modelTypes: ['moonshine', 'cohere_asr'],
  sharedModelTypes: ['speecht5'],
  recognize: ({ config }) => hasClass(config, /ForSpeechSeq2Seq$|SpeechToText$/),
  files,
  open: async (spec) => (await import('./transcription/open-recognizer.ts')).openSeq2SeqRecognizer(spec),
};

/** The package's architectures by category. */
export const transformersArchitectures: Readonly<Record<string, readonly Architecture[]>> = {
  transcription: [ctc, encoderDecoder],
  // The voices of MMS are VITS; SpeechT5 includes its vocoder.
  speech: [
    synthesizer('vits', 'loadVits'),
    synthesizer('speecht5', 'loadSpeechT5'),
    synthesizer('supertonic', 'loadSupertonic'),
  ],
  detection: [owl, groundingDino],
  embedding: [
    pairedEncoder('clip', ['clip'], 'CLIP'),
    pairedEncoder('siglip', ['siglip', 'siglip2'], 'Siglip'),
    pairedEncoder('jina-clip', ['jina_clip'], 'JinaCLIP'),
  ],
};
