import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createInference } from '../../src/inference.ts';
import { collectTranscription } from '../../src/categories/transcription/result.ts';
import { transcription } from '../../src/categories/transcription/settings.ts';
import { onnx } from '../../src/backends/onnx/backend.ts';
import { readGolden, unpackMiniature } from '../backends/transformers/unpack-miniature.ts';
import { createWaveform, toWav } from '../backends/transformers/waveform.ts';
import { transformers } from '../../src/backends/transformers/backend.ts';

async function start(source: string, backend: ReturnType<typeof onnx | typeof transformers> = onnx()) {
  const models = { mini: transcription({ source, backend, voiceActivity: 'none' }) };
  const inference = createInference({ models, isolation: 'inline' });
  onTestFinished(() => inference.close());
  await inference.ready();
  return inference;
}

/** A folder whose config has other values. */
function changed(config: object): string {
  const folder = unpackMiniature('moonshine');
  const path = join(folder, 'config.json');
  const stated = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...stated, ...config }));
  return folder;
}

test('Moonshine hears what the reference hears', async () => {
  const { text, tokens } = readGolden('moonshine');
  const inference = await start(unpackMiniature('moonshine'));
  const result = await collectTranscription(
    inference.transcribe({ model: 'mini', audio: toWav(createWaveform()) }),
  );
  expect(result.text).toBe(text.trim());
  expect(result.segments.map((segment) => segment.tokens)).toEqual([tokens]);
});

test('Moonshine hears the same on both backends, for as long as its limit of tokens is', async () => {
  const source = unpackMiniature('moonshine');
  const [own, other] = await Promise.all(
    [onnx(), transformers()].map(async (backend) => {
      const inference = await start(source, backend);
      const audio = toWav(createWaveform(5));
      return collectTranscription(inference.transcribe({ model: 'mini', audio }));
    }),
  );
  expect(own!.segments[0]!.tokens).toEqual(other!.segments[0]!.tokens);
  expect(own!.segments[0]!.averageLogprob).toBeCloseTo(other!.segments[0]!.averageLogprob, 4);
  expect(own!.text).toBe(other!.text);
});

test.each([
  ['language', { language: 'de' }],
  ['prompt', { prompt: 'Before.' }],
  ['model', { task: 'translate' }],
  ['temperature', { temperature: 0.5 }],
  ['timestamp_granularities', { wordTimestamps: true }],
] as const)('Moonshine refuses the %s that it cannot follow', async (param, options) => {
  const inference = await start(unpackMiniature('moonshine'));
  const audio = toWav(createWaveform());
  const result = collectTranscription(inference.transcribe({ model: 'mini', audio, ...options }));
  await expect(result).rejects.toMatchObject({ code: 'unsupported_feature', param });
});

test.each([
  [{ hidden_size: 'wide' }, 'config.json has hidden_size "wide", expected a positive integer'],
  [{ max_position_embeddings: 0 }, 'config.json has max_position_embeddings 0'],
])('a config with %j is refused', async (config, message) => {
  await expect(start(changed(config))).rejects.toThrow(message);
});

test('a folder without its decoder is refused', async () => {
  const folder = unpackMiniature('moonshine');
  rmSync(join(folder, 'onnx', 'decoder_model_merged.onnx'));
  await expect(start(folder)).rejects.toThrow('none of onnx/decoder_model_merged.onnx');
});
