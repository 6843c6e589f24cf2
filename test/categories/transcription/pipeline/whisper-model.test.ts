import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { createRng } from '../../../../src/core/sampling/rng.ts';
import {
  openWhisperFolder,
  type WhisperFolder,
} from '../../../../src/categories/transcription/architectures/whisper/whisper-folder.ts';
import { createWindowDecoder } from '../../../../src/categories/transcription/architectures/whisper/window-decoder.ts';
import {
  loadWhisperModel,
  type WhisperModel,
} from '../../../../src/categories/transcription/architectures/whisper/whisper-model.ts';
import { featuresOf, miniWhisper, readDecodings } from './mini-whisper.ts';
import { countSure, decimalsWithin, marginOf } from '../../../tolerance.ts';

const decodings = await readDecodings();
const opened = await openWhisperFolder(miniWhisper);
const split = {
  first: `${miniWhisper}/onnx/decoder_model.onnx`,
  next: `${miniWhisper}/onnx/decoder_with_past_model.onnx`,
};

describe.each<[string, WhisperFolder]>([
  ['merged', opened],
  ['in two files', { ...opened, decoder: split }],
])('a decoder %s', (_, folder) => {
  let model: WhisperModel;
  beforeAll(async () => {
    model = await loadWhisperModel(folder, (graph) => onnxSessions.openSession(graph, {}));
  });
  afterAll(() => model.release());

  it.each(decodings)('writes what the reference writes, case $kind', async (golden) => {
    const window = await model.encode(featuresOf(golden.kind));
    const prefix = await model.start(window, golden.prefix);
    golden.lastLogits.forEach((logit, token) =>
      expect(prefix.logits[token]).toBeCloseTo(logit, decimalsWithin(3)),
    );
    const atStart = prefix.logitsBefore(2);
    const total = atStart.reduce((sum, logit) => sum + Math.exp(logit), 0);
    expect(Math.exp(atStart[folder.vocabulary.noSpeech!]!) / total).toBeCloseTo(
      golden.noSpeech,
      decimalsWithin(5),
    );
    const decoded = await createWindowDecoder(folder).decode(prefix, {
      temperature: 0,
      cutsLoops: true,
      rng: createRng(0),
      noSpeechProbability: 0,
    });
    const { endOfText } = folder.vocabulary;
    const expected = golden.tokens.filter((token) => token !== endOfText);
    const margins: number[] = [];
    for (let { logits } = prefix; margins.length < expected.length;) {
      margins.push(marginOf(logits));
      logits = await prefix.step(expected[margins.length - 1]!);
    }
    prefix.release();
    window.release();
    const sure = countSure(margins, 1e-4);
    expect(decoded.tokens.slice(0, sure)).toEqual(expected.slice(0, sure));
    if (sure < expected.length) return;
    expect(decoded.tokens).toHaveLength(sure);
    if (golden.tokens.at(-1) === endOfText)
      expect(decoded.averageLogprob).toBeCloseTo(golden.averageLogprob, decimalsWithin(4));
  });

  it.each(decodings)(
    'hears the language that the reference hears, case $kind',
    async ({ kind, detected }) => {
      const window = await model.encode(featuresOf(kind));
      const { logits } = await model.start(window, [folder.vocabulary.startOfTranscript]);
      const ids = [...folder.vocabulary.languages.values()];
      expect(ids.reduce((best, id) => (logits[id]! > logits[best]! ? id : best))).toBe(detected);
    },
  );

  it('goes on from a state as often as wanted', async () => {
    const window = await model.encode(featuresOf(1));
    const text = await model.start(window, [257, 258, 262]);
    const after = async (...tokens: number[]): Promise<Float32Array> => {
      text.rewind();
      let logits = text.logits;
      for (const token of tokens) logits = await text.step(token);
      return logits.slice();
    };
    const once = await after(300);
    const twice = await after(300, 100);
    await after(100, 101, 102);
    expect(await after(300)).toEqual(once);
    expect(await after(300, 100)).toEqual(twice);
    const whole = await model.start(window, [257, 258, 262, 300, 100]);
    whole.logits.forEach((logit, token) => expect(twice[token]).toBeCloseTo(logit, decimalsWithin(4)));
  });

  it('texts of two windows go on beside each other', async () => {
    const [one, two] = await Promise.all([1, 2].map(async (kind) => model.encode(featuresOf(kind))));
    const tokensAfter = async (window: typeof one): Promise<Float32Array[]> => {
      const text = await model.start(window!, [257, 258, 262]);
      const logits = [];
      for (const token of [300, 100, 101]) logits.push((await text.step(token)).slice());
      text.release();
      return logits;
    };
    const alone = [await tokensAfter(one), await tokensAfter(two)];
    expect(await Promise.all([tokensAfter(one), tokensAfter(two)])).toEqual(alone);
  });

  it('reads a text into the same memory, step by step', async () => {
    const window = await model.encode(featuresOf(1));
    const text = await model.start(window, [257, 258, 262]);
    const memory = new Set<ArrayBufferLike>();
    for (const token of [300, 100, 101, 102]) memory.add((await text.step(token)).buffer);
    expect(memory.size).toBe(1);
    text.release();
  });
});
