import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { speech } from '../../../../src/categories/exports.ts';
import type { SpokenWord } from '../../../../src/categories/speech/events.ts';
import type { SpeechRequestInput } from '../../../../src/categories/speech/request.ts';
import { createInference, type Inference } from '../../../../src/inference.ts';
import { stepLength, textConfig, writeVoices } from './piper-speaker.ts';
import { stairLength, vocabulary, writeSpeaker, type SpeakerFolderOptions } from './stair-speaker.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'slashv1-word-times-'));
});
afterAll(() => rm(root, { recursive: true }));

async function start(source: string, settings: object = {}): Promise<Inference> {
  const inference = createInference({
    models: { voice: speech({ source, threads: 1, ...settings }) },
    isolation: 'inline',
  });
  onTestFinished(() => inference.close());
  await inference.ready();
  return inference;
}

let folders = 0;
async function startKokoro(options: SpeakerFolderOptions = {}, settings: object = {}): Promise<Inference> {
  return start(
    await writeSpeaker(join(root, `kokoro-${(folders += 1)}`), { durations: 'output', ...options }),
    settings,
  );
}

interface Spoken {
  readonly words: readonly SpokenWord[];
  /** Samples of each piece, the rest after it included. */
  readonly pieces: readonly number[];
  readonly order: readonly string[];
}

async function speak(inference: Inference, request: Partial<SpeechRequestInput>): Promise<Spoken> {
  const words: SpokenWord[] = [];
  const pieces: number[] = [];
  const order: string[] = [];
  const events = inference.speak({
    model: 'voice',
    input: 'a bee',
    format: 'pcm',
    wordTimestamps: true,
    ...request,
  });
  for await (const event of events) {
    order.push(event.type);
    if (event.type === 'words') words.push(...event.words);
    if (event.type === 'audio') pieces.push(event.bytes.length / 2);
  }
  return { words, pieces, order };
}

const hz = 24_000;
/** Silence that is kept, less the frames by which Kokoro is heard early. */
const lead = 0.04 * hz - 1200;
/** Times of symbols `from` up to `to` of a piece that begins at the sample `origin`. */
const times = (from: number, to: number, { origin = 0, speed = 1 } = {}) => ({
  startSeconds: expect.closeTo((origin + Math.max(0, (from * stairLength) / speed + lead)) / hz, 4),
  endSeconds: expect.closeTo((origin + (to * stairLength) / speed + lead) / hz, 4),
});

describe("the words of a Kokoro's speech", () => {
  it('have the times of their phonemes', async () => {
    const { words } = await speak(await startKokoro(), { input: 'A bee, sees!' });
    // ə bˈi, sˈiz!
    expect(words).toEqual([
      { word: 'A', offset: 0, ...times(0, 1) },
      { word: 'bee', offset: 2, ...times(2, 5) },
      { word: 'sees', offset: 7, ...times(7, 11) },
    ]);
  });

  it.each([0.5, 2])('keep to the speed %f', async (speed) => {
    const { words } = await speak(await startKokoro(), { input: 'a bee', speed });
    expect(words[1]).toEqual({
      word: 'bee',
      offset: 2,
      ...times(2, 5, { speed }),
      endSeconds: expect.anything(),
    });
  });

  it('go on over pieces and the rests between them', async () => {
    const { words, pieces, order } = await speak(await startKokoro(), { input: 'A bee. \n Red bees.' });
    expect(pieces).toHaveLength(2);
    // bees. is the second word of its piece: ɹˈɛd bˈiz.
    expect(words.map(({ word }) => word)).toEqual(['A', 'bee', 'Red', 'bees']);
    expect(words[3]).toEqual({ word: 'bees', offset: 13, ...times(5, 9, { origin: pieces[0]! }) });
    expect(order).toEqual(['speech-start', 'audio', 'words', 'audio', 'words', 'speech-end']);
  });

  it('are those of the text where it is read in other words', async () => {
    const { words } = await speak(await startKokoro(), { input: 'Dr. Lee paid $1,200 at 3 p.m. 🔴 —' });
    expect(words.map(({ word }) => word)).toEqual(['Dr', 'Lee', 'paid', '$1,200', 'at', '3', 'p.m.']);
    for (const [at, { startSeconds, endSeconds }] of words.entries()) {
      expect(endSeconds).toBeGreaterThan(startSeconds);
      expect(startSeconds).toBeGreaterThanOrEqual(words[at - 1]?.endSeconds ?? 0);
    }
    const [paid, price] = words.slice(2);
    // One thousand two hundred dollars takes longer than a word.
    expect(price!.endSeconds - price!.startSeconds).toBeGreaterThan(
      4 * (paid!.endSeconds - paid!.startSeconds),
    );
  });

  it('are whole where a word is cut into pieces', async () => {
    const config = { vocab: vocabulary, max_position_embeddings: 10 };
    const { words, pieces } = await speak(await startKokoro({ config }), {
      input: 'a internationalization bee',
    });
    expect(pieces.length).toBeGreaterThan(2);
    expect(words.map(({ word }) => word)).toEqual(['a', 'internationalization', 'bee']);
    expect(words[1]!.endSeconds - words[1]!.startSeconds).toBeGreaterThan((10 * stairLength) / hz);
  });

  it('are read from a graph that keeps them to itself, with the setting wordTimes', async () => {
    const open = await startKokoro({ durations: 'inner' }, { wordTimes: true });
    const given = await startKokoro();
    const request = { input: 'A bee, sees! A bee.' };
    expect(await speak(open, request)).toEqual(await speak(given, request));
  });

  it('change nothing of the audio, and are left out where nobody asks', async () => {
    const inference = await startKokoro();
    const input = 'A bee. Red bees.';
    const plain = await speak(inference, { input, wordTimestamps: false });
    expect(plain.order).toEqual(['speech-start', 'audio', 'audio', 'speech-end']);
    expect((await speak(inference, { input })).pieces).toEqual(plain.pieces);
  });

  it('are refused where the graph has no durations as an output', async () => {
    for (const durations of [undefined, 'inner'] as const) {
      await expect(speak(await startKokoro({ durations }), {})).rejects.toMatchObject({
        code: 'unsupported_feature',
        param: 'timestamp_granularities',
      });
    }
  });

  it('are no setting of a graph without durations', async () => {
    await expect(startKokoro({ durations: undefined }, { wordTimes: true })).rejects.toThrow(
      /wordTimes: expected a graph that computes durations/,
    );
  });

  it('are found in a long text of one sentence', async () => {
    const input = 'a bee sees 12 bees and '.repeat(300).trim();
    const { words } = await speak(await startKokoro(), { input });
    expect(words.map(({ word }) => word)).toEqual(input.split(' '));
    expect(words.every(({ word, offset }) => input.startsWith(word, offset))).toBe(true);
  });
});

describe("the words of a Piper voice's speech", () => {
  const rate = textConfig.audio.sample_rate;

  it('have the times of their symbols, a padding after each', async () => {
    const source = await writeVoices(join(root, 'piper'), { anna: { hasDurations: true } });
    const inference = await start(source, { wordTimes: true });
    const { words } = await speak(inference, { input: 'bad cab' });
    // Two ids of the beginning, of which the first is heard and none is trimmed; then two of each symbol.
    const at = (symbol: number): number => ((2 + 2 * symbol) * stepLength) / rate;
    expect(words.map(({ word }) => word)).toEqual(['bad', 'cab']);
    expect(words[0]!.startSeconds).toBeCloseTo(at(0), 3);
    expect(words[0]!.endSeconds).toBeCloseTo(at(3), 3);
    expect(words[1]!.startSeconds).toBeCloseTo(at(4), 3);
    expect(words[1]!.endSeconds).toBeCloseTo(at(7), 3);
  });

  it('are refused without their durations', async () => {
    const inference = await start(await writeVoices(join(root, 'usual'), { anna: {} }));
    await expect(speak(inference, { input: 'bad' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'timestamp_granularities',
    });
  });
});
