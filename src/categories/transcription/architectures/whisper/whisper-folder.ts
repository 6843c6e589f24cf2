import { join } from 'node:path';
import { vocabularyLanguages } from '../../../../core/audio/whisper/languages.ts';
import { framesPerPosition } from '../../../../core/audio/whisper/timestamps.ts';
import type { Dtype, Json } from '../../../../contracts/files.ts';
import type { ModelFolder, TextTokenizer } from '../../../../contracts/text-model.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { whisperGraphs } from './files.ts';
import { openModelFolder, readCount, readJson } from '../../../../folder/model-folder.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { describeValue } from '../../../../core/text/quote.ts';

export type WhisperFolder = Awaited<ReturnType<typeof openWhisperFolder>>;

export interface WhisperFolderOptions {
  readonly dtype?: Dtype | undefined;
  readonly conditionOnPrevious?: boolean | undefined;
}

export async function openWhisperFolder(
  path: string,
  { dtype, conditionOnPrevious }: WhisperFolderOptions = {},
) {
  const folder = await openModelFolder(path);
  const preprocessor = await readJson(path, 'preprocessor_config.json', {});
  const { config, generationConfig } = folder;
  const windowFrames = framesPerPosition * readCount(config, 'max_source_positions');
  const melBins = readCount(config, 'num_mel_bins');
  assertPreprocessor(preprocessor, { melBins, windowFrames });
  const textTokenizer = createTextTokenizer(folder);
  const vocabulary = readVocabulary(folder, textTokenizer);
  const width = readCount(config, 'd_model');
  const decoderHeads = readCount(config, 'decoder_attention_heads');
  const encoderHeads = readCount(config, 'encoder_attention_heads', decoderHeads);
  const setting = (name: string) => generationConfig[name] ?? config[name];
  const heads = setting('alignment_heads');
  return {
    ...folder,
    ...locateGraphs(path, dtype),
    textTokenizer,
    vocabulary,
    /** Never sampled. */
    suppressTokens: readTokens(setting('suppress_tokens')),
    /** Never sampled as the first token. */
    beginSuppressTokens: readTokens(setting('begin_suppress_tokens')),
    /** The vocabulary's code of the only language; `undefined` if the files don't name it. */
    onlyLanguage: vocabulary.languages.size === 0 ? readOnlyLanguage(folder) : undefined,
    /** Use a window's text as context for the next; default true. */
    conditionsOnPrevious: conditionOnPrevious ?? setting('condition_on_prev_tokens') !== false,
    melBins,
    /** Frames of 10 ms in a window. */
    windowFrames,
    /** Max tokens of the decoder. */
    contextLength: readCount(config, 'max_target_positions'),
    /** Number of the decoder's logits. */
    vocabularySize: readCount(config, 'vocab_size'),
    decoderLayers: readCount(config, 'decoder_layers'),
    decoderHeads,
    headSize: width / decoderHeads,
    encoderAttention: { heads: encoderHeads, size: width / encoderHeads },
    /** For word times; `undefined` if no file lists them. */
    alignmentHeads: Array.isArray(heads) && heads.length > 0 ? (heads as [number, number][]) : undefined,
  };
}

/** Every text token is below `endOfText`. */
function readVocabulary({ config, generationConfig }: ModelFolder, tokenizer: TextTokenizer) {
  const setting = (name: string) => generationConfig[name] ?? config[name];
  const stated = (name: string, ...tokens: string[]): number | undefined => {
    const id =
      setting(name) ?? tokens.map((token) => tokenizer.tokenToId(token)).find((found) => found !== undefined);
    return typeof id === 'number' ? id : undefined;
  };
  const needed = (name: string, token: string): number => {
    const id = stated(name, token);
    if (id !== undefined) return id;
    throw sourceError(`expected ${name} in a config file, or ${token} in the tokenizer`);
  };
  const noTimestamps = needed('no_timestamps_token_id', '<|notimestamps|>');
  const tasks = setting('task_to_id') as Readonly<Record<string, number>> | undefined;
  const task = (name: string): number | undefined =>
    isMultilingual(generationConfig) ? (tasks?.[name] ?? tokenizer.tokenToId(`<|${name}|>`)) : undefined;
  const maxInitialPosition = setting('max_initial_timestamp_index');
  return {
    endOfText: needed('eos_token_id', '<|endoftext|>'),
    startOfTranscript: needed('decoder_start_token_id', '<|startoftranscript|>'),
    /** `undefined` if the model takes no prompt. */
    startOfPrevious: stated('prev_sot_token_id', '<|startofprev|>'),
    noSpeech: stated('no_speech_token_id', '<|nospeech|>', '<|nocaptions|>'),
    noTimestamps,
    timestampBegin: noTimestamps + 1,
    maxInitialPosition: typeof maxInitialPosition === 'number' ? maxInitialPosition : undefined,
    /** `undefined` if the model has no tasks. */
    transcribe: task('transcribe'),
    /** `undefined` if unsupported. */
    translate: task('translate'),
    /** The vocabulary's code → `<|code|>`; empty for a single language. */
    languages: isMultilingual(generationConfig)
      ? readLanguages(generationConfig, tokenizer)
      : new Map<string, number>(),
  };
}

/** English-only vocabularies contain language tokens too. */
function isMultilingual(generationConfig: Json): boolean {
  return generationConfig['is_multilingual'] !== false;
}

function readLanguages(generationConfig: Json, tokenizer: TextTokenizer): ReadonlyMap<string, number> {
  const stated = generationConfig['lang_to_id'];
  if (typeof stated === 'object' && stated !== null)
    return new Map(Object.entries(stated).map(([token, id]) => [token.replaceAll(/[<|>]/g, ''), Number(id)]));
  const found = vocabularyLanguages.map((code) => [code, tokenizer.tokenToId(`<|${code}|>`)] as const);
  return new Map(found.filter((entry): entry is readonly [string, number] => entry[1] !== undefined));
}

function readOnlyLanguage({ generationConfig }: ModelFolder): string | undefined {
  const stated = generationConfig['language'];
  if (typeof stated === 'string') return stated.replaceAll(/[<|>]/g, '');
  return isMultilingual(generationConfig) ? undefined : 'en';
}

function readTokens(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((id): id is number => Number.isInteger(id) && id >= 0) : [];
}

/** A different spectrogram means a different kind of model. */
function assertPreprocessor(
  preprocessor: Json,
  { melBins, windowFrames }: { melBins: number; windowFrames: number },
): void {
  const expected = {
    sampling_rate: 16_000,
    hop_length: 160,
    n_fft: 400,
    feature_size: melBins,
    chunk_length: windowFrames / 100,
  };
  for (const [name, value] of Object.entries(expected)) {
    const stated = preprocessor[name] ?? value;
    if (stated !== value)
      throw sourceError(`preprocessor_config.json has ${name} ${describeValue(stated)}, expected ${value}`);
  }
}

function locateGraphs(path: string, dtype: Dtype | undefined) {
  const { encoder, decoder } = whisperGraphs(localFiles(path), dtype);
  const located = { first: join(path, decoder.first), next: join(path, decoder.next) };
  return { encoder: join(path, encoder), decoder: located };
}
