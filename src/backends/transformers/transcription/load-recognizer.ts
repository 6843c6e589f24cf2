import { fieldError } from '../../../errors.ts';
import { quote } from '../../../core/text/quote.ts';
import { readJson } from '../../../models/model-folder.ts';
import { whisperTypes } from '../../../models/whisper-types.ts';
import type { ModelSpec } from '../../../categories/contract.ts';
import { loadPart, toLoadOptions } from '../load-options.ts';
import { loadTransformersPackage } from '../load-package.ts';
import { createCtcRecognizer, type RecognizerParts } from './ctc-recognizer.ts';
import type { Recognizer } from './recognizer.ts';
import { createSeq2SeqRecognizer } from './seq2seq-recognizer.ts';

const ctcFamilies = new Set([
  'wav2vec2',
  'wav2vec2-bert',
  'unispeech',
  'unispeech-sat',
  'wavlm',
  'hubert',
  'parakeet_ctc',
]);
const seq2seqFamilies = new Set(['moonshine', 'cohere_asr', 'speecht5']);

/**
 * Loads the model of a folder.
 *
 * @throws InferenceError `invalid_request` for an architecture that is not known here, and for files that can't be
 * loaded
 */
export async function loadRecognizer(path: string, spec: ModelSpec): Promise<Recognizer> {
  const transformers = await loadTransformersPackage();
  const { model_type: given } = await readJson(path, 'config.json');
  const family = String(given);
  if (whisperTypes.has(family))
    throw fieldError('backend', 'the backend onnx() runs Whisper, transformers() does not');
  const isCtc = ctcFamilies.has(family);
  if (!isCtc && !seq2seqFamilies.has(family)) {
    const known = [...ctcFamilies, ...seq2seqFamilies].join(', ');
    throw fieldError('source', `expected a recogniser with a model_type in ${known}, got ${quote(family)}`);
  }
  const options = toLoadOptions(path, spec);
  return loadPart(async () => {
    const local = { local_files_only: true };
    const processor = await transformers.AutoProcessor.from_pretrained(path, local);
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, local);
    const modelClass = isCtc ? transformers.AutoModelForCTC : transformers.AutoModelForSpeechSeq2Seq;
    const model = await modelClass.from_pretrained(path, options);
    const settings = processor.feature_extractor?.config as { sampling_rate?: number } | undefined;
    // The package has none for the samples that SpeechT5 reads; they are those of wav2vec 2.0.
    const own = family === 'speecht5' ? new transformers.Wav2Vec2FeatureExtractor(settings) : undefined;
    const extract = (own ?? processor) as unknown as RecognizerParts['extract'];
    const parts = { model, processor, extract, tokenizer, sampleRateHz: settings?.sampling_rate ?? 16_000 };
    return isCtc ? createCtcRecognizer(parts) : createSeq2SeqRecognizer(parts, transformers);
  });
}
