import { readJson } from '../../../folder/model-folder.ts';
import { sourceError } from '../../../folder/model-files.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import { sampleRateHz, type StretchRecognizer } from '../../../categories/transcription/recognizer.ts';
import { disposerOf, localOnly, openFolder } from '../load-options.ts';
import { createCtcRecognizer, type RecognizerParts, maxSeconds } from './ctc-recognizer.ts';
import { decodeGreedily, maxTokensOf } from '../../../runtime/decode-greedily.ts';
import { fieldError, orThrow } from '../../../errors.ts';
import { lastLogits } from '../chat/tensors.ts';
import { createSeq2Seq, type Seq2SeqState } from '../seq2seq.ts';

/** @throws InferenceError `invalid_request` for files that can't be loaded */
export async function openCtcRecognizer(spec: ModelSpec): Promise<StretchRecognizer> {
  return createCtcRecognizer(await loadParts(spec, 'AutoModelForCTC'));
}

/** @throws InferenceError `invalid_request` for files that can't be loaded */
export async function openSeq2SeqRecognizer(spec: ModelSpec): Promise<StretchRecognizer> {
  return createSeq2SeqRecognizer(await loadParts(spec, 'AutoModelForSpeechSeq2Seq'));
}

function loadParts(
  spec: ModelSpec,
  modelClass: 'AutoModelForCTC' | 'AutoModelForSpeechSeq2Seq',
): Promise<RecognizerParts> {
  return openFolder(spec, async ({ path, options, transformers }) => {
    const { model_type: type } = await readJson(path, 'config.json');
    const processor = await transformers.AutoProcessor.from_pretrained(path, localOnly);
    const settings = processor.feature_extractor?.config as { sampling_rate?: number } | undefined;
    const { sampling_rate: rate = sampleRateHz } = settings ?? {};
    if (rate !== sampleRateHz)
      throw sourceError(`expected a recognizer for ${sampleRateHz} Hz, got one for ${rate}`);
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, localOnly);
    const model = await transformers[modelClass].from_pretrained(path, options);
    // The package has no extractor for SpeechT5's samples; wav2vec 2.0's is equivalent.
    const own = type === 'speecht5' ? new transformers.Wav2Vec2FeatureExtractor(settings) : undefined;
    const extract = (own ?? processor) as unknown as RecognizerParts['extract'];
    return { model, processor, extract, tokenizer, transformers };
  });
}

/** Processors of models with a language parameter. */
interface LanguagePrompts {
  get_decoder_prompt_ids?(language: string): readonly number[];
}

/** Recognizes with an encoder and a greedy decoder: Moonshine and the like. */
function createSeq2SeqRecognizer(parts: RecognizerParts): StretchRecognizer {
  const { model, processor, extract, tokenizer, transformers } = parts;
  const halves = createSeq2Seq(model, transformers);
  const prompts = processor as unknown as LanguagePrompts;
  const takesLanguage = typeof prompts.get_decoder_prompt_ids === 'function';

  return {
    maxSeconds,
    contextLength: 0,
    languages: takesLanguage ? undefined : [],
    abilities: new Set(),
    async recognize(samples, { language, signal }) {
      const start = takesLanguage ? startOf(prompts, language ?? 'en') : halves.start;
      const encoded = await halves.encode(await extract(samples));
      const state: Seq2SeqState = { rows: 1, encoded, past: undefined };
      let past = 0;
      const next = async (token: number | undefined): Promise<Float32Array> => {
        const fed = token === undefined ? start : [token];
        const logits = lastLogits(await halves.decode(state, fed, past));
        past += fed.length;
        for (const id of halves.suppressed) logits[id] = -Infinity;
        return logits;
      };
      const maxTokens = maxTokensOf(samples.length / sampleRateHz);
      const written = await decodeGreedily(next, { ends: halves.ends, maxTokens, signal });
      const text = tokenizer.decode([...written.tokens], { skip_special_tokens: true }).trim();
      return { ...written, text };
    },
    release: disposerOf(model),
  };
}

function startOf(prompts: LanguagePrompts, language: string): readonly number[] {
  return orThrow(
    () => prompts.get_decoder_prompt_ids!(language),
    (cause) => fieldError('language', cause.message, { cause }),
  );
}
