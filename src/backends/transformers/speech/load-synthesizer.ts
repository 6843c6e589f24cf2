import { join } from 'node:path';
import type { PreTrainedModel, PreTrainedTokenizer, Tensor } from '@huggingface/transformers';
import { quote } from '../../../core/text/quote.ts';
import { fieldError } from '../../../errors.ts';
import { sourceError } from '../../../models/model-files.ts';
import { readJson } from '../../../models/model-folder.ts';
import type { ModelSpec } from '../../../categories/contract.ts';
import { loadPart, toLoadOptions, type LoadOptions } from '../load-options.ts';
import { loadTransformersPackage, type TransformersPackage } from '../load-package.ts';
import type { TransformersBackend } from '../settings.ts';
import type { TextSynthesizer } from './synthesizer.ts';
import { findVoiceFiles, readVoiceFile } from './voice-files.ts';

type Json = Readonly<Record<string, unknown>>;

interface SynthesizerSource {
  readonly path: string;
  readonly config: Json;
  readonly options: LoadOptions;
  readonly backend: TransformersBackend;
  readonly transformers: TransformersPackage;
}

type LoadSynthesizer = (source: SynthesizerSource) => Promise<TextSynthesizer>;

const families: Readonly<Record<string, LoadSynthesizer>> = {
  vits: loadVits,
  speecht5: loadSpeechT5,
  supertonic: loadSupertonic,
};

/**
 * Loads the model of a folder.
 *
 * @throws InferenceError `invalid_request` for an architecture that is not known here, and for files that are missing
 */
export async function loadSynthesizer(path: string, spec: ModelSpec): Promise<TextSynthesizer> {
  const transformers = await loadTransformersPackage();
  const config = await readJson(path, 'config.json');
  const family = String(config['model_type']);
  const load = Object.hasOwn(families, family) ? families[family]! : undefined;
  if (!load) {
    const known = Object.keys(families).join(', ');
    throw sourceError(`expected a voice with a model_type in ${known}, got ${quote(family)}`);
  }
  const options = toLoadOptions(path, spec);
  return loadPart(() =>
    load({ path, config, options, backend: spec.backend as TransformersBackend, transformers }),
  );
}

/** VITS and the voices of MMS: the graph makes everything of the text. */
async function loadVits({
  path,
  config,
  options,
  transformers,
}: SynthesizerSource): Promise<TextSynthesizer> {
  const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, { local_files_only: true });
  const model = await transformers.AutoModelForTextToWaveform.from_pretrained(path, options);
  return {
    sampleRateHz: Number(config['sampling_rate']),
    voices: ['default'],
    hasSpeed: false,
    async speak(text) {
      const { waveform } = (await model(encode(tokenizer, text))) as { readonly waveform: Tensor };
      return toSamples(waveform);
    },
    release: () => dispose(model),
  };
}

/** SpeechT5: frames one after the other, a vector for the voice, and a vocoder of its own. */
async function loadSpeechT5(source: SynthesizerSource): Promise<TextSynthesizer> {
  const { path, options, backend, transformers } = source;
  const vocoderPath = backend.vocoder ?? join(path, 'vocoder');
  await readJson(vocoderPath, 'config.json').catch((error: unknown) => {
    throw fieldError(
      'backend.vocoder',
      'SpeechT5 needs the folder of a vocoder, such as Xenova/speecht5_hifigan',
      {
        cause: error,
      },
    );
  });
  const voices = await needVoices(path, backend);
  const { device = 'cpu' } = options;
  const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, { local_files_only: true });
  const processor = await transformers.AutoProcessor.from_pretrained(path, { local_files_only: true });
  const model = await transformers.AutoModelForTextToSpectrogram.from_pretrained(path, options);
  const vocoder = await transformers.AutoModel.from_pretrained(
    vocoderPath,
    toLoadOptions(vocoderPath, { device: device as 'cpu' }),
  );
  const speaker = model as unknown as {
    generate_speech(ids: Tensor, voice: Tensor, options: object): Promise<{ readonly waveform: Tensor }>;
  };
  const extractor = processor.feature_extractor?.config as { sampling_rate?: number } | undefined;
  return {
    sampleRateHz: extractor?.sampling_rate ?? 16_000,
    voices: [...voices.keys()],
    hasSpeed: false,
    async speak(text, voice) {
      const vector = voices.get(voice)!;
      const embedding = new transformers.Tensor('float32', vector, [1, vector.length]);
      const { waveform } = await speaker.generate_speech(encode(tokenizer, text).input_ids, embedding, {
        vocoder,
      });
      return toSamples(waveform);
    },
    async release() {
      await dispose(model);
      await dispose(vocoder);
    },
  };
}

/** Supertonic: flow matching in a few steps, a style for the voice. */
async function loadSupertonic(source: SynthesizerSource): Promise<TextSynthesizer> {
  const { path, config, options, backend, transformers } = source;
  const voices = await needVoices(path, backend);
  const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, { local_files_only: true });
  const model = await transformers.AutoModelForTextToWaveform.from_pretrained(path, options);
  const speaker = model as unknown as {
    generate_speech(inputs: object): Promise<{ readonly waveform: Tensor; readonly durations: Tensor }>;
  };
  const styleSize = Number(config['style_dim']);
  return {
    sampleRateHz: Number(config['sampling_rate']),
    voices: [...voices.keys()],
    hasSpeed: true,
    async speak(text, voice, speed) {
      const vector = voices.get(voice)!;
      const style = new transformers.Tensor('float32', vector, [1, vector.length / styleSize, styleSize]);
      const { waveform, durations } = await speaker.generate_speech({
        ...encode(tokenizer, text),
        style,
        speed,
      });
      return toSamples(waveform).subarray(0, Math.ceil(Number(durations.data[0])));
    },
    release: () => dispose(model),
  };
}

async function needVoices(
  path: string,
  { voices: given }: TransformersBackend,
): Promise<ReadonlyMap<string, Float32Array>> {
  const files = await findVoiceFiles(path, given);
  if (files.size === 0) {
    throw fieldError('backend.voices', 'the model has no files voices/*.bin, so its voices have to be given');
  }
  const read = [...files].map(async ([name, file]) => [name, await readVoiceFile(name, file)] as const);
  return new Map(await Promise.all(read));
}

function encode(tokenizer: PreTrainedTokenizer, text: string): { readonly input_ids: Tensor } {
  return tokenizer(text, { padding: true, truncation: true }) as { readonly input_ids: Tensor };
}

function toSamples(waveform: Tensor): Float32Array {
  return Float32Array.from(waveform.to('float32').data as Float32Array);
}

async function dispose(model: PreTrainedModel): Promise<void> {
  await model.dispose();
}
