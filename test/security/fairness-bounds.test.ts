import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { createCopyingDecoder } from '../../src/backends/onnx/chat/copying-decoder.ts';
import { Batcher, type Generation } from '../../src/categories/chat/pipeline/batch/batcher.ts';
import { PrefixCache } from '../../src/categories/chat/pipeline/batch/prefix-cache.ts';
import { loadDetectionPipeline } from '../../src/categories/detection/pipeline/detection-pipeline.ts';
import { loadEmbeddingPipeline } from '../../src/categories/embedding/pipeline/embedding-pipeline.ts';
import { loadImagePipeline } from '../../src/categories/image/pipeline/image-pipeline.ts';
import { loadRerankPipeline } from '../../src/categories/rerank/pipeline/rerank-pipeline.ts';
import { loadSpeechPipeline } from '../../src/categories/speech/pipeline/speech-pipeline.ts';
import { loadTranscriptionPipeline } from '../../src/categories/transcription/pipeline/transcription-pipeline.ts';
import { categories } from '../../src/categories/registry.ts';
import type { Architecture } from '../../src/contracts/architecture.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { SessionBackend } from '../../src/contracts/sessions.ts';
import { createRememberingSession } from '../backends/onnx/chat/remembering-session.ts';
import { silence, toWav } from '../categories/transcription/pipeline/recordings.ts';

/** Pictures of one byte, whose owner it tells; those of the first owner but one are never decoded. */
vi.mock('../../src/runtime/image.ts', async (importOriginal) => {
  let decodes = 0;
  return {
    ...(await importOriginal<object>()),
    openImage: async ([owner]: Uint8Array) => ({
      width: owner,
      height: 8,
      isLarge: false,
      toPixels: () => (owner === 1 && ++decodes > 1 ? new Promise(() => undefined) : new Uint8Array(192)),
    }),
  };
});

/** The clock of the pipelines in milliseconds: only units of work take time. */
let clock = 0;
/** Owners of the units of work, in the order in which they began. */
let units: string[] = [];

beforeEach(() => {
  [clock, units] = [0, []];
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

async function unit(owner: string, ms: number): Promise<void> {
  units.push(owner);
  await nextTurn();
  clock += ms;
}

const longMs = 50;
const shortMs = 2;
const msOf = (owner: string): number => (owner === 'a' ? longMs : shortMs);
const backend = { hasGraphs: true } as SessionBackend;
const fake = <Opened>(opened: object): Architecture<Opened> => ({
  name: 'fake',
  modelTypes: [],
  files: {} as never,
  open: async () => ({ created: 0, release: async () => {}, ...opened }) as Opened,
});

interface Trial {
  readonly pipeline: Pipeline;
  readonly category: string;
  /** Requests of the first owner. */
  readonly count: number;
  readonly large: object;
  readonly small: object;
}

/** @returns units of the first owner that begin between the arrival of the second one's request and its last unit */
async function unitsBehind({ pipeline, category, count, large, small }: Trial): Promise<number> {
  const { complete } = categories.get(category)!;
  const controller = new AbortController();
  const run = async (request: object, owner: string, signal?: AbortSignal): Promise<void> => {
    const whole = complete({ model: 'fake', ...request } as never);
    for await (const _ of pipeline.run(whole, { owner, signal }));
  };
  const all = Array.from({ length: count }, () => run(large, 'a', controller.signal).catch(() => undefined));
  while (units.length < 1) await nextTurn();
  const before = units.length;
  await run(small, 'b');
  const behind = units.slice(before, units.lastIndexOf('b')).filter((owner) => owner === 'a').length;
  controller.abort();
  void Promise.all(all);
  return behind;
}

/** The owner of a text: its first letter. */
const ownerOf = (text: string): string => text.trim()[0]!.toLowerCase();
const tokenizer = {
  vocabularySize: 128,
  frame: { before: [], after: [] },
  encode: (text: string) => Array.from(text, (_, at) => text.charCodeAt(at)),
  pairWith: () => ({ length: 1, encode: (text: string) => ({ ids: tokenizer.encode(text) }) }),
};

/** Reads two tokens a millisecond. */
async function readSequences(sequences: readonly { ids: readonly number[] }[]): Promise<Float32Array[]> {
  const owners = new Set(sequences.map(({ ids }) => String.fromCharCode(ids[0]!)));
  const tokens = sequences.reduce((sum, { ids }) => sum + ids.length, 0);
  await unit(owners.has('b') ? 'b' : 'a', tokens / 2);
  return sequences.map(() => Float32Array.of(1));
}

it('embedding: one text waits for no run but that under way', async () => {
  const encoder = { tokenizer, contextLength: 128, dimensions: 1, encode: readSequences };
  const spec = { id: 'fake', category: 'embedding', source: 'tiny-embed' };
  const pipeline = await loadEmbeddingPipeline(spec, backend, fake(encoder));
  const large = { input: Array.from({ length: 200 }, () => 'a'.repeat(100)) };
  const trial = { pipeline, category: 'embedding', count: 20, large, small: { input: 'b' } };
  expect(await unitsBehind(trial)).toBeLessThanOrEqual(1);
});

it('rerank: one document waits for no run but that under way', async () => {
  const scorer = { tokenizer, contextLength: 128, encode: readSequences };
  const spec = { id: 'fake', category: 'rerank', source: 'tiny-rerank' };
  const pipeline = await loadRerankPipeline(spec, backend, fake(scorer));
  const large = { query: 'q', documents: Array.from({ length: 200 }, () => 'a'.repeat(100)) };
  const small = { query: 'q', documents: ['b'] };
  const trial = { pipeline, category: 'rerank', count: 20, large, small };
  expect(await unitsBehind(trial)).toBeLessThanOrEqual(1);
});

it('speech: short pieces wait for one long one at most', async () => {
  const speak = async (piece: string) => {
    await unit(ownerOf(piece), msOf(ownerOf(piece)));
    return { samples: new Float32Array(240) };
  };
  const synthesizer = {
    sampleRateHz: 24_000,
    voices: [{ id: 'af_heart', name: 'Heart', language: 'en-US' }],
    hasSpeed: true,
    mixesVoices: false,
    findSpeaker: async () => ({ speak }),
  };
  const spec = { id: 'fake', category: 'speech', source: 'tiny-speech' };
  const pipeline = await loadSpeechPipeline(spec, backend, fake(synthesizer));
  const [large, small] = ['A bee. '.repeat(500), 'Bees. '.repeat(6)].map((input) => ({ input }));
  const trial = { pipeline, category: 'speech', count: 4, large: large!, small: small! };
  expect(await unitsBehind(trial)).toBeLessThanOrEqual(1);
  expect(units.filter((owner) => owner === 'b')).toHaveLength(6);
});

it('image: small steps wait for one large one at most', async () => {
  const painter = {
    contextLength: 77,
    prepare: async (
      { prompt, numInferenceSteps: steps }: { prompt: string; numInferenceSteps: number },
      { inTurn }: { inTurn(task: () => Promise<void>): Promise<void> },
    ) => ({
      scheduler: 'EulerDiscreteScheduler',
      guidanceScale: 1,
      async *draw() {
        for (let step = 1; step <= steps; step++) {
          await inTurn(() => unit(prompt, msOf(prompt)));
          yield { step, steps };
        }
        yield { pixels: new Uint8ClampedArray(3 * 256 * 256) };
      },
    }),
  };
  const spec = { id: 'fake', category: 'image', source: 'tiny-image' };
  const pipeline = await loadImagePipeline(spec, backend, fake(painter));
  const size = { width: 256, height: 256 };
  const large = { prompt: 'a', numInferenceSteps: 150, n: 4, ...size };
  const small = { prompt: 'b', numInferenceSteps: 8, ...size };
  const trial = { pipeline, category: 'image', count: 1, large, small };
  expect(await unitsBehind(trial)).toBeLessThanOrEqual(1);
});

it('detection: a picture waits for the run under way, and for no other to be decoded', async () => {
  let end = (): void => {};
  const detector = {
    classNames: ['thing'],
    picksBoxes: true,
    layOut: (image: object) => ({ input: image, placement: { width: 8, height: 8, ...image } }),
    async run({ placement: { width } }: { placement: { width: number } }) {
      units.push(width === 1 ? 'a' : 'b');
      if (width === 1) await new Promise<void>((resolve) => (end = resolve));
      return () => undefined;
    },
  };
  const spec = { id: 'fake', category: 'detection', source: 'tiny-detect' };
  const pipeline = await loadDetectionPipeline(spec, backend, fake(detector));
  const [large, small] = [1, 2].map((owner) => ({ image: Uint8Array.of(owner) }));
  setTimeout(() => end(), 50);
  const trial = { pipeline, category: 'detection', count: 8, large: large!, small: small! };
  expect(await unitsBehind(trial)).toBe(0);
});

it('transcription: a window is begun while two of another owner are under way', async () => {
  const recognizer = {
    maxSeconds: 30,
    contextLength: 0,
    languages: undefined,
    abilities: new Set(),
    begin: () => ({
      async recognize({ samples }: { samples: Float32Array }) {
        const isLong = samples.length > 16_000;
        units.push(isLong ? 'a' : 'b');
        if (isLong) await new Promise(() => undefined);
        return { segments: [], consumed: samples.length };
      },
    }),
  };
  const spec = { id: 'fake', category: 'transcription', source: 'tiny-whisper', voiceActivity: 'none' };
  const pipeline = await loadTranscriptionPipeline(spec, backend, fake(recognizer));
  const [large, small] = [90, 1].map((seconds) => ({ audio: toWav(silence(seconds)) }));
  const trial = { pipeline, category: 'transcription', count: 8, large: large!, small: small! };
  expect(await unitsBehind(trial)).toBeLessThanOrEqual(1);
  expect(units.filter((owner) => owner === 'a')).toHaveLength(2);
});

it('chat: an answer waits for one piece of a long prompt, of 64 tokens', async () => {
  const pieces: number[] = [];
  let onRun = (_count: number): void => {};
  const session = createRememberingSession({ extended: true, onRun: (_, count) => onRun(count) });
  const decoder = createCopyingDecoder(session, { ragged: true });
  const prefixes = new PrefixCache(decoder, { maxSequences: 0, maxBytes: 0 });
  const batcher = new Batcher(decoder, { maxRows: 8, prefixes });
  const start = (owner: string, prompt: Int32Array, tokens: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let left = tokens;
      const continuation = { remaining: tokens, next: () => (--left > 0 ? 1 : undefined) };
      batcher.add({
        prompt,
        maxTotalTokens: prompt.length + tokens,
        continuations: [continuation],
        reproducible: false,
        owner,
        cancelled: false,
        promptEnded: () => undefined,
        ended: resolve,
        failed: reject,
      } satisfies Generation);
    });
  let answered: Promise<void> | undefined;
  let behind = -1;
  onRun = (count) => {
    clock += count;
    if (count > 1) pieces.push(count);
    if (pieces.length !== 2 || answered) return;
    pieces.length = 0;
    answered = start('b', Int32Array.of(5), 20).then(() => void (behind = pieces.length));
  };
  await start('a', new Int32Array(1000), 1);
  await answered;
  expect(behind).toBeLessThanOrEqual(1);
  expect(behind).toBeGreaterThanOrEqual(0);
  expect(Math.max(...pieces.slice(0, behind), 64)).toBe(64);
});
