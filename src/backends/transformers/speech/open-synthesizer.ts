import { join, basename } from 'node:path';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { PreTrainedModel, PreTrainedTokenizer, Tensor } from '@huggingface/transformers';
import { fieldError } from '../../../errors.ts';
import { readJson } from '../../../folder/model-folder.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Synthesizer } from '../../../categories/speech/synthesizer.ts';
import { disposerOf, localOnly, openFolder, toLoadOptions, type PackageFolder } from '../load-options.ts';
import type { TransformersBackend } from '../settings.ts';

type Json = Readonly<Record<string, unknown>>;

interface SynthesizerSource extends PackageFolder {
  readonly config: Json;
  readonly backend: TransformersBackend;
  readonly tokenizer: PreTrainedTokenizer;
}

type LoadSynthesizer = (source: SynthesizerSource) => Promise<Synthesizer>;

export function openSynthesizer(spec: ModelSpec, load: LoadSynthesizer): Promise<Synthesizer> {
  return openFolder(spec, async (folder) => {
    const config = await readJson(folder.path, 'config.json');
    const tokenizer = await folder.transformers.AutoTokenizer.from_pretrained(folder.path, localOnly);
    return load({ ...folder, config, tokenizer, backend: spec.backend as TransformersBackend });
  });
}

interface SpeakingModel {
  readonly sampleRateHz: number;
  /** Voice names, with the model's data for each. */
  readonly voices: ReadonlyMap<string, Float32Array | undefined>;
  readonly hasSpeed: boolean;
  readonly models: readonly PreTrainedModel[];
  speakerOf(vector: Float32Array): (text: string, speed: number) => Promise<Float32Array>;
}

function toSynthesizer({ voices, models, speakerOf, ...facts }: SpeakingModel): Synthesizer {
  return {
    ...facts,
    voices: Array.from(voices.keys(), (id) => ({ id, name: id, language: 'und' })),
    mixesVoices: false,
    async findSpeaker([share]) {
      const speak = speakerOf(voices.get(share!.voice)!);
      return { speak: async (text, { speed }) => ({ samples: await speak(text, speed) }) };
    },
    release: disposerOf(...models),
  };
}

/** VITS and the voices of MMS: a single graph. */
export async function loadVits(source: SynthesizerSource): Promise<Synthesizer> {
  const { path, config, options, tokenizer, transformers } = source;
  const model = await transformers.AutoModelForTextToWaveform.from_pretrained(path, options);
  return toSynthesizer({
    sampleRateHz: Number(config['sampling_rate']),
    voices: new Map([['default', undefined]]),
    hasSpeed: false,
    models: [model],
    speakerOf: () => async (text) => {
      const { waveform } = (await model(encode(tokenizer, text))) as { readonly waveform: Tensor };
      return toSamples(waveform);
    },
  });
}

/** SpeechT5: autoregressive frames, a vector per voice, and a separate vocoder. */
export async function loadSpeechT5(source: SynthesizerSource): Promise<Synthesizer> {
  const { path, options, backend, tokenizer, transformers } = source;
  const vocoderPath = backend.vocoder ?? join(path, 'vocoder');
  await readJson(vocoderPath, 'config.json').catch((error: unknown) => {
    const reason = 'SpeechT5 needs the folder of a vocoder, such as Xenova/speecht5_hifigan';
    throw fieldError('backend.vocoder', reason, { cause: error });
  });
  const voices = await needVoices(path, backend);
  const { device = 'cpu' } = options;
  const processor = await transformers.AutoProcessor.from_pretrained(path, localOnly);
  const model = await transformers.AutoModelForTextToSpectrogram.from_pretrained(path, options);
  const vocoder = await transformers.AutoModel.from_pretrained(
    vocoderPath,
    toLoadOptions(vocoderPath, { device: device as 'cpu' }),
  );
  const speaker = model as unknown as {
    generate_speech(ids: Tensor, voice: Tensor, options: object): Promise<{ readonly waveform: Tensor }>;
  };
  const extractor = processor.feature_extractor?.config as { sampling_rate?: number } | undefined;
  return toSynthesizer({
    sampleRateHz: extractor?.sampling_rate ?? 16_000,
    voices,
    hasSpeed: false,
    models: [model, vocoder],
    speakerOf(vector) {
      const embedding = new transformers.Tensor('float32', vector, [1, vector.length]);
      return async (text) => {
        const { input_ids: ids } = encode(tokenizer, text);
        const { waveform } = await speaker.generate_speech(ids, embedding, { vocoder });
        return toSamples(waveform);
      };
    },
  });
}

/** Supertonic: flow matching in a few steps, a style per voice. */
export async function loadSupertonic(source: SynthesizerSource): Promise<Synthesizer> {
  const { path, config, options, backend, tokenizer, transformers } = source;
  const voices = await needVoices(path, backend);
  const model = await transformers.AutoModelForTextToWaveform.from_pretrained(path, options);
  const speaker = model as unknown as {
    generate_speech(inputs: object): Promise<{ readonly waveform: Tensor; readonly durations: Tensor }>;
  };
  const styleSize = Number(config['style_dim']);
  return toSynthesizer({
    sampleRateHz: Number(config['sampling_rate']),
    voices,
    hasSpeed: true,
    models: [model],
    speakerOf(vector) {
      const style = new transformers.Tensor('float32', vector, [1, vector.length / styleSize, styleSize]);
      return async (text, speed) => {
        const inputs = { ...encode(tokenizer, text), style, speed };
        const { waveform, durations } = await speaker.generate_speech(inputs);
        return toSamples(waveform).subarray(0, Math.ceil(Number(durations.data[0])));
      };
    },
  });
}

async function needVoices(
  path: string,
  { voices: given }: TransformersBackend,
): Promise<ReadonlyMap<string, Float32Array>> {
  const files = await findVoiceFiles(path, given);
  if (files.size === 0)
    throw fieldError('backend.voices', 'the model has no files voices/*.bin, so its voices have to be given');
  const read = [...files].map(async ([name, file]) => [name, await readVoiceFile(name, file)] as const);
  return new Map(await Promise.all(read));
}

function encode(tokenizer: PreTrainedTokenizer, text: string): { readonly input_ids: Tensor } {
  return tokenizer(text, { padding: true, truncation: true }) as { readonly input_ids: Tensor };
}

function toSamples(waveform: Tensor): Float32Array {
  return Float32Array.from(waveform.to('float32').data as Float32Array);
}

/**
 * Finds the files of a model's voices, each a list of little-endian float32 numbers.
 * @param given names and paths that replace `voices/*.bin`
 */
async function findVoiceFiles(
  path: string,
  given: Readonly<Record<string, string>> | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (given) return new Map(Object.entries(given));
  const folder = join(path, 'voices');
  const names = existsSync(folder) ? await readdir(folder) : [];
  const files = names.filter((name) => name.endsWith('.bin')).sort();
  return new Map(files.map((file) => [basename(file, '.bin'), join(folder, file)]));
}

/** @throws InferenceError `invalid_request` if the file is missing or invalid */
async function readVoiceFile(name: string, path: string): Promise<Float32Array> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fieldError('backend.voices', `the file of the voice ${name} can't be read`, { cause: error });
  });
  if (bytes.length === 0 || bytes.length % 4 !== 0) {
    const reason = `expected float32 numbers in the file of the voice ${name}, got ${bytes.length} bytes`;
    throw fieldError('backend.voices', reason);
  }
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}
