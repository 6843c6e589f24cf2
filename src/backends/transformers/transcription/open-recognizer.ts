import { readJson } from '../../../folder/model-folder.ts';
import { sourceError } from '../../../folder/model-files.ts';
import { locateModel } from '../../../folder/source.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import { sampleRateHz, type StretchRecognizer } from '../../../categories/transcription/recognizer.ts';
import { loadPart, toLoadOptions } from '../load-options.ts';
import { loadTransformersPackage } from '../load-package.ts';
import { createCtcRecognizer, type RecognizerParts } from './ctc-recognizer.ts';
import { createSeq2SeqRecognizer } from './seq2seq-recognizer.ts';

/** @throws InferenceError `invalid_request` for files that can't be loaded */
export async function openCtcRecognizer(spec: ModelSpec): Promise<StretchRecognizer> {
  return createCtcRecognizer(await loadParts(spec, 'AutoModelForCTC'));
}

/** @throws InferenceError `invalid_request` for files that can't be loaded */
export async function openSeq2SeqRecognizer(spec: ModelSpec): Promise<StretchRecognizer> {
  const parts = await loadParts(spec, 'AutoModelForSpeechSeq2Seq');
  return createSeq2SeqRecognizer(parts, await loadTransformersPackage());
}

async function loadParts(
  spec: ModelSpec,
  modelClass: 'AutoModelForCTC' | 'AutoModelForSpeechSeq2Seq',
): Promise<RecognizerParts> {
  const path = locateModel(spec.source);
  const transformers = await loadTransformersPackage();
  const { model_type: type } = await readJson(path, 'config.json');
  const options = toLoadOptions(path, spec);
  return loadPart(async () => {
    const local = { local_files_only: true };
    const processor = await transformers.AutoProcessor.from_pretrained(path, local);
    const settings = processor.feature_extractor?.config as { sampling_rate?: number } | undefined;
    const { sampling_rate: rate = sampleRateHz } = settings ?? {};
    if (rate !== sampleRateHz)
      throw sourceError(`expected a recognizer for ${sampleRateHz} Hz, got one for ${rate}`);
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, local);
    const model = await transformers[modelClass].from_pretrained(path, options);
    // The package has none for the samples that SpeechT5 reads; they are those of wav2vec 2.0.
    const own = type === 'speecht5' ? new transformers.Wav2Vec2FeatureExtractor(settings) : undefined;
    const extract = (own ?? processor) as unknown as RecognizerParts['extract'];
    return { model, processor, extract, tokenizer };
  });
}
