import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWhisperFolder } from '../../src/categories/transcription/architectures/whisper/whisper-folder.ts';

const mini = new URL('../categories/transcription/pipeline/golden/mini-whisper', import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-whisper-'));
  await cp(mini, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

/** Changes fields of a JSON file; `undefined` removes one. */
async function change(file: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const path = join(folder, file);
  const content = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...content, ...fields }));
}

describe('openWhisperFolder', () => {
  it('reads what a model is like', async () => {
    expect(await openWhisperFolder(folder)).toMatchObject({
      encoder: join(folder, 'onnx/encoder_model.onnx'),
      decoder: {
        first: join(folder, 'onnx/decoder_model_merged.onnx'),
        next: join(folder, 'onnx/decoder_model_merged.onnx'),
      },
      vocabulary: {
        endOfText: 256,
        startOfTranscript: 257,
        startOfPrevious: 264,
        noSpeech: 265,
        noTimestamps: 266,
        timestampBegin: 267,
        maxInitialPosition: 50,
        transcribe: 262,
        translate: 261,
        languages: new Map([
          ['en', 258],
          ['de', 259],
          ['jw', 260],
        ]),
      },
      suppressTokens: expect.arrayContaining([7, 8, 9, 257]),
      beginSuppressTokens: [32, 256],
      onlyLanguage: undefined,
      conditionsOnPrevious: true,
      melBins: 80,
      windowFrames: 400,
      contextLength: 64,
      vocabularySize: 468,
      decoderLayers: 2,
      decoderHeads: 2,
      headSize: 8,
      alignmentHeads: [
        [0, 1],
        [1, 0],
      ],
    });
  });

  it('finds in the tokenizer what no config says', async () => {
    const { vocabulary } = await openWhisperFolder(folder);
    await writeFile(join(folder, 'generation_config.json'), '{}');
    await change('config.json', { decoder_start_token_id: undefined, eos_token_id: undefined });
    const opened = await openWhisperFolder(folder);
    expect(opened.vocabulary).toEqual({ ...vocabulary, maxInitialPosition: undefined });
    expect(opened).toMatchObject({ suppressTokens: [], beginSuppressTokens: [], alignmentHeads: undefined });
  });

  it('takes what older exports have in config.json', async () => {
    await writeFile(join(folder, 'generation_config.json'), '{}');
    await change('config.json', { suppress_tokens: [1, 2], begin_suppress_tokens: [220] });
    expect(await openWhisperFolder(folder)).toMatchObject({
      suppressTokens: [1, 2],
      beginSuppressTokens: [220],
    });
  });

  it('knows that a model is for English alone, whose tokenizer has all languages', async () => {
    await change('generation_config.json', { is_multilingual: false });
    const { vocabulary, onlyLanguage } = await openWhisperFolder(folder);
    expect(vocabulary.languages.size).toBe(0);
    expect(vocabulary.transcribe).toBeUndefined();
    expect(onlyLanguage).toBe('en');
  });

  it('reads which language a model without language tokens is for', async () => {
    await change('generation_config.json', { lang_to_id: {}, language: '<|de|>' });
    expect((await openWhisperFolder(folder)).onlyLanguage).toBe('de');
    await change('generation_config.json', { language: undefined });
    expect((await openWhisperFolder(folder)).onlyLanguage).toBeUndefined();
  });

  it('reads whether the text of a window is the context of the next', async () => {
    await change('generation_config.json', { condition_on_prev_tokens: false });
    expect((await openWhisperFolder(folder)).conditionsOnPrevious).toBe(false);
    const set = await openWhisperFolder(folder, { conditionOnPrevious: true });
    expect(set.conditionsOnPrevious).toBe(true);
  });

  it('does not, where a setting says otherwise', async () => {
    const set = await openWhisperFolder(folder, { conditionOnPrevious: false });
    expect(set.conditionsOnPrevious).toBe(false);
  });

  it('takes a decoder in two files, and smaller variants', async () => {
    const onnx = (name: string) => join(folder, 'onnx', name);
    await rm(onnx('decoder_model_merged.onnx'));
    const two = { first: onnx('decoder_model.onnx'), next: onnx('decoder_with_past_model.onnx') };
    expect((await openWhisperFolder(folder)).decoder).toEqual(two);
    await cp(onnx('encoder_model.onnx'), onnx('encoder_model_quantized.onnx'));
    await rm(onnx('encoder_model.onnx'));
    expect((await openWhisperFolder(folder)).encoder).toBe(onnx('encoder_model_quantized.onnx'));
    await rm(two.next);
    await expect(openWhisperFolder(folder)).rejects.toMatchObject({
      param: 'source',
      message: expect.stringContaining('decoder_model_merged.onnx nor both'),
    });
  });

  it('takes Lite-Whisper, whose encoder differs within its graph alone', async () => {
    await change('config.json', { model_type: 'lite-whisper' });
    expect(await openWhisperFolder(folder)).toMatchObject({ melBins: 80, windowFrames: 400 });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['config.json', { num_mel_bins: undefined }, 'config.json has num_mel_bins nothing'],
    ['config.json', { max_source_positions: 1.5 }, 'config.json has max_source_positions 1.5'],
    ['preprocessor_config.json', { sampling_rate: 8000 }, 'has sampling_rate 8000, expected 16000'],
    ['preprocessor_config.json', { feature_size: 128 }, 'has feature_size 128, expected 80'],
    ['preprocessor_config.json', { chunk_length: 30 }, 'has chunk_length 30, expected 4'],
    ['preprocessor_config.json', { hop_length: 80 }, 'has hop_length 80, expected 160'],
  ])('refuses %s with %j', async (file, fields, reason) => {
    await change(file, fields);
    await expect(openWhisperFolder(folder)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'source',
      message: expect.stringContaining(reason),
    });
  });

  it('names the token that is missing', async () => {
    await change('generation_config.json', { no_timestamps_token_id: undefined });
    await change('tokenizer.json', { added_tokens: [] });
    await expect(openWhisperFolder(folder)).rejects.toThrow(
      'expected no_timestamps_token_id in a config file, or <|notimestamps|> in the tokenizer',
    );
  });
});
