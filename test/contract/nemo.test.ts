import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNemoFeatures } from '../../src/core/audio/nemo-features.ts';
import { createInference } from '../../src/inference.ts';
import { transcription } from '../../src/categories/transcription/settings.ts';
import { collectTranscription } from '../../src/categories/transcription/result.ts';
import { toWav } from '../backends/transformers/waveform.ts';
import { recordingOf } from './recording.ts';

interface Golden {
  readonly cases: readonly {
    readonly seconds: number;
    readonly text: string;
    readonly tokens: readonly number[];
    /** Beginnings of the tokens. */
    readonly times: readonly number[];
    readonly logprobs: readonly number[];
  }[];
  /** Of the recording of a second: every tenth column, band by band. */
  readonly features: { readonly columns: number; readonly values: readonly number[] };
}

const miniatures = new URL('models/', import.meta.url).pathname;
const readGolden = (name: string): Golden =>
  JSON.parse(readFileSync(join(miniatures, name, 'golden.json'), 'utf8')) as Golden;

async function start(source: string, dtype: 'auto' | 'q8' = 'auto') {
  const models = { mini: transcription({ source, dtype, voiceActivity: 'none', threads: 1 }) };
  const inference = createInference({ models, isolation: 'inline' });
  onTestFinished(() => inference.close());
  await inference.ready();
  return inference;
}

async function copyOf(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-nemo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(miniatures, name), folder, { recursive: true });
  return folder;
}

describe.each(['nemo-ctc', 'nemo-rnnt', 'nemo-tdt'])('%s beside onnx-asr', (name) => {
  const { cases, features } = readGolden(name);

  it('hears token for token the same, at the same times', async () => {
    const inference = await start(join(miniatures, name));
    for (const { seconds, text, tokens, times, logprobs } of cases) {
      const request = { model: 'mini', audio: toWav(recordingOf(seconds)), wordTimestamps: true };
      const { text: heard, segments } = await collectTranscription(inference.transcribe(request));
      expect(segments).toHaveLength(1);
      const [segment] = segments;
      expect(segment!.tokens).toEqual(tokens);
      expect(heard).toBe(text.trim());
      const words = segment!.words!;
      expect(words.map(({ word }) => word).join(' ')).toBe(heard);
      expect(words[0]!.startSeconds).toBeCloseTo(times[0]!, 5);
      for (const { startSeconds, endSeconds } of words) {
        expect(times.some((time) => Math.abs(time - startSeconds) < 1e-6)).toBe(true);
        expect(endSeconds).toBeGreaterThan(startSeconds);
      }
      if (name === 'nemo-ctc') continue;
      const mean = logprobs.reduce((sum, value) => sum + value, 0) / logprobs.length;
      expect(segment!.averageLogprob).toBeCloseTo(mean, 4);
    }
  });

  it('reads the same features', () => {
    const melBins = features.values.length / Math.ceil(features.columns / 10);
    const { data, columns } = createNemoFeatures({ melBins }).compute(recordingOf(1));
    expect(columns).toBe(features.columns);
    const every = Array.from({ length: melBins }, (_, band) =>
      Array.from({ length: Math.ceil(columns / 10) }, (_unused, step) => data[band * columns + 10 * step]!),
    ).flat();
    const worst = Math.max(...every.map((value, at) => Math.abs(value - features.values[at]!)));
    expect(worst).toBeLessThan(1e-3);
  });

  it.each([
    ['language', { language: 'de' }],
    ['prompt', { prompt: 'Before.' }],
    ['model', { task: 'translate' }],
    ['temperature', { temperature: 0.5 }],
  ] as const)('refuses the %s that it cannot follow', async (param, options) => {
    const inference = await start(join(miniatures, name));
    const audio = toWav(recordingOf(1));
    const result = collectTranscription(inference.transcribe({ model: 'mini', audio, ...options }));
    await expect(result).rejects.toMatchObject({ code: 'unsupported_feature', param });
  });
});

describe('nemo-aed beside onnx-asr', () => {
  const name = 'nemo-aed';
  interface PromptedCase {
    readonly seconds: number;
    readonly language?: string;
    readonly target_language?: string;
    readonly text: string;
    readonly tokens: readonly number[];
  }
  const { cases } = JSON.parse(readFileSync(join(miniatures, name, 'golden.json'), 'utf8')) as {
    readonly cases: readonly PromptedCase[];
  };

  it('writes token for token the same, in the language that was asked for and in English', async () => {
    const inference = await start(join(miniatures, name));
    for (const { seconds, language, target_language, text, tokens } of cases) {
      const task = target_language === undefined ? 'transcribe' : 'translate';
      const request = { model: 'mini', audio: toWav(recordingOf(seconds)), language, task } as const;
      const { text: heard, segments } = await collectTranscription(inference.transcribe(request));
      expect(heard).toBe(text.trim());
      expect(segments.flatMap((segment) => segment.tokens)).toEqual(tokens);
      for (const { averageLogprob } of segments) expect(averageLogprob).toBeLessThan(0);
    }
  });

  it('names its languages', async () => {
    const inference = await start(join(miniatures, name));
    expect(inference.models()).toMatchObject([{ languages: ['de', 'en', 'fr'], contextLength: 64 }]);
  });

  it.each([
    ['language', { language: 'ja' }, 'language: expected one of de, en, fr, got "ja".'],
    ['language', { task: 'translate' }, 'language: expected the spoken language: this model'],
    ['prompt', { prompt: 'Before.' }, 'the model takes no prompt'],
    ['temperature', { temperature: 0.5 }, 'expected 0'],
    ['timestamp_granularities', { wordTimestamps: true }, 'the model has no word timestamps'],
  ] as const)('refuses the %s of %j', async (param, options, message) => {
    const inference = await start(join(miniatures, name));
    const audio = toWav(recordingOf(1));
    const result = collectTranscription(inference.transcribe({ model: 'mini', audio, ...options }));
    await expect(result).rejects.toMatchObject({
      param,
      message: expect.stringContaining(message) as string,
    });
  });

  it('without English does not translate, and wants a language', async () => {
    const source = await copyOf(name);
    const vocabulary = await readFile(join(source, 'vocab.txt'), 'utf8');
    await writeFile(join(source, 'vocab.txt'), vocabulary.replace('<|en|>', '<|es|>'));
    const inference = await start(source);
    const ask = (options: object) =>
      collectTranscription(inference.transcribe({ model: 'mini', audio: toWav(recordingOf(1)), ...options }));
    await expect(ask({ language: 'de', task: 'translate' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'model',
    });
    await expect(ask({})).rejects.toMatchObject({ param: 'language' });
    expect((await ask({ language: 'es' })).text).toBe(
      cases.find(({ seconds }) => seconds === 1)!.text.trim(),
    );
  });

  it('without a token of the prompt is refused', async () => {
    const source = await copyOf(name);
    const vocabulary = await readFile(join(source, 'vocab.txt'), 'utf8');
    await writeFile(join(source, 'vocab.txt'), vocabulary.replace('<|noitn|>', '<|other|>'));
    await expect(start(source)).rejects.toThrow('has no <|noitn|>');
  });
});

describe('a folder of NeMo', () => {
  it('without a vocabulary says so', async () => {
    const source = await copyOf('nemo-tdt');
    await rm(join(source, 'vocab.txt'));
    await expect(start(source)).rejects.toThrow('vocab.txt is missing');
  });

  it.each([
    ['a 0\n', 'vocab.txt in'],
    ['a 0\n<blk> 2\n', 'expected a token and the id 1'],
    ['a 0\n<blk>\n', 'expected a token and the id 1'],
  ])('with the vocabulary %j is refused', async (vocabulary, message) => {
    const source = await copyOf('nemo-tdt');
    await writeFile(join(source, 'vocab.txt'), vocabulary);
    await expect(start(source)).rejects.toThrow(message);
  });

  it('has its weights in 8 bits under the names of its exporters', async () => {
    const source = await copyOf('nemo-tdt');
    for (const graph of ['encoder-model', 'decoder_joint-model'])
      await rename(join(source, `${graph}.onnx`), join(source, `${graph}.int8.onnx`));
    const inference = await start(source, 'q8');
    const audio = toWav(recordingOf(1));
    const { text } = await collectTranscription(inference.transcribe({ model: 'mini', audio }));
    expect(text).toBe(readGolden('nemo-tdt').cases[1]!.text.trim());
  });

  it('with another number of tokens than its graph is refused', async () => {
    const source = await copyOf('nemo-ctc');
    await writeFile(join(source, 'vocab.txt'), 'a 0\n<blk> 1\n');
    const inference = await start(source);
    const result = collectTranscription(
      inference.transcribe({ model: 'mini', audio: toWav(recordingOf(1)) }),
    );
    await expect(result).rejects.toThrow('vocab.txt has 2 tokens, the graph scores');
  });

  it('with the graphs of another model is refused', async () => {
    const source = await copyOf('nemo-tdt');
    await cp(join(miniatures, 'nemo-ctc', 'model.onnx'), join(source, 'encoder-model.onnx'));
    await expect(start(source)).rejects.toThrow(
      /encoder-model\.onnx is not a graph of NeMo's exports: expected outputs/,
    );
  });
});
