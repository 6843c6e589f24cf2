import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInference } from '../../src/inference.ts';
import { transcription } from '../../src/categories/transcription/settings.ts';
import { collectTranscription } from '../../src/categories/transcription/result.ts';
import { toWav } from '../backends/transformers/waveform.ts';
import { recordingOf } from './recording.ts';

const miniature = join(import.meta.dirname, 'models', 'moonshine-streaming');
const { cases } = JSON.parse(readFileSync(join(miniature, 'golden.json'), 'utf8')) as {
  readonly cases: readonly {
    readonly seconds: number;
    readonly text: string;
    readonly tokens: readonly number[];
  }[];
};

async function start(source: string) {
  const models = { mini: transcription({ source, voiceActivity: 'none', threads: 1 }) };
  const inference = createInference({ models, isolation: 'inline' });
  onTestFinished(() => inference.close());
  await inference.ready();
  return inference;
}

describe('a streaming Moonshine beside transformers', () => {
  it('hears token for token the same in its five graphs', async () => {
    const inference = await start(miniature);
    for (const { seconds, text, tokens } of cases) {
      const request = { model: 'mini', audio: toWav(recordingOf(seconds)) };
      const { text: heard, segments } = await collectTranscription(inference.transcribe(request));
      expect(segments.map((segment) => segment.tokens)).toEqual([tokens]);
      expect(heard).toBe(text.trim());
      expect(segments[0]!.averageLogprob).toBeLessThan(0);
    }
  });

  it('hears nothing in less than it can read', async () => {
    const inference = await start(miniature);
    const audio = toWav(recordingOf(0.015));
    expect((await collectTranscription(inference.transcribe({ model: 'mini', audio }))).text).toBe('');
  });

  it.each([
    ['language', { language: 'de' }],
    ['model', { task: 'translate' }],
    ['timestamp_granularities', { wordTimestamps: true }],
  ] as const)('refuses the %s that it cannot follow', async (param, options) => {
    const inference = await start(miniature);
    const audio = toWav(recordingOf(1));
    const result = collectTranscription(inference.transcribe({ model: 'mini', audio, ...options }));
    await expect(result).rejects.toMatchObject({ code: 'unsupported_feature', param });
  });

  it('names the graph that is missing or of another model', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-moonshine-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await cp(miniature, folder, { recursive: true });
    await rm(join(folder, 'adapter.onnx'));
    await expect(start(folder)).rejects.toThrow('adapter.onnx');
    await cp(join(folder, 'encoder.onnx'), join(folder, 'adapter.onnx'));
    await expect(start(folder)).rejects.toThrow(
      "adapter.onnx is not a graph of Moonshine's streaming export: expected pos_offset",
    );
  });
});
