import { describe, expect, it } from 'vitest';
import type {
  TranscriptionEvent,
  TranscriptionSegment,
} from '../../../../src/categories/transcription/events.ts';
import {
  WindowRecognition,
  type WhisperJob,
} from '../../../../src/categories/transcription/architectures/whisper/recognition.ts';
import { transcribe as transcribeBlocks } from '../../../../src/categories/transcription/pipeline/transcriber.ts';
import {
  ScriptedModel,
  secondsOf,
  tokensOf,
  toolsFor,
  vocabulary,
  type WindowScript,
} from './scripted-model.ts';

const { startOfTranscript, startOfPrevious, transcribe, languages } = vocabulary;
const english = [startOfTranscript, languages.get('en')!, transcribe];

interface Case extends Partial<WhisperJob> {
  readonly blocks?: AsyncIterable<Float32Array>;
  readonly seconds?: number;
  readonly tools?: Parameters<typeof toolsFor>[1];
}

function eventsOf(
  model: ScriptedModel,
  { seconds = 10, blocks = secondsOf(seconds), tools: options, ...given }: Case,
): ReturnType<typeof transcribeBlocks> {
  const { whisper, tools } = toolsFor(model, options);
  const usual = {
    language: 'en',
    prompt: [],
    task: 'transcribe',
    temperature: 0,
    wordTimestamps: false,
  } as const;
  const recognition = new WindowRecognition(whisper, { ...usual, ...given });
  return transcribeBlocks(tools, { blocks, recognition, signal: given.signal });
}

async function run(scripts: readonly WindowScript[], options: Case = {}) {
  const model = new ScriptedModel(scripts);
  const events: TranscriptionEvent[] = [];
  for await (const event of eventsOf(model, options)) events.push(event);
  const segments = events.filter((event) => event.type === 'segment').map(({ segment }) => segment);
  const progress = events.filter((event) => event.type === 'progress').map(({ seconds: done }) => done);
  return { model, events, segments, progress, end: events.at(-1)! };
}

const timesOf = (segments: readonly TranscriptionSegment[]) =>
  segments.map(({ startSeconds, endSeconds, text }) => [startSeconds, endSeconds, text]);

describe('transcribe', () => {
  it('gives segments every field, in order, and an end', async () => {
    const { events } = await run([{ text: [0.5, ' one.', 2, 2.5, ' two.', 4], noSpeech: 0.25 }]);
    const common = {
      seek: 0,
      temperature: 0,
      noSpeechProbability: expect.closeTo(0.25, 2),
      words: undefined,
    };
    const quality = { averageLogprob: expect.closeTo(0, 3), compressionRatio: expect.closeTo(0.55, 1) };
    expect(events).toEqual([
      {
        type: 'segment',
        segment: {
          id: 0,
          startSeconds: 0.5,
          endSeconds: 2,
          text: ' one.',
          tokens: tokensOf([0.5, ' one.', 2]),
          ...common,
          ...quality,
        },
      },
      {
        type: 'segment',
        segment: {
          id: 1,
          startSeconds: 2.5,
          endSeconds: 4,
          text: ' two.',
          tokens: tokensOf([2.5, ' two.', 4]),
          ...common,
          ...quality,
        },
      },
      { type: 'progress', seconds: 10 },
      { type: 'transcription-end', language: 'en', durationSeconds: 10 },
    ]);
  });

  it('tells of each window that it is done, also where nobody speaks', async () => {
    const speech = [[{ startSeconds: 0, endSeconds: 10 }], [], [{ startSeconds: 0, endSeconds: 5 }]];
    const find = async () => speech.shift() ?? [];
    const { progress, segments } = await run([{ text: [0, ' a.', 9] }, { text: [0, ' b.', 4] }], {
      seconds: 24,
      tools: { find },
    });
    expect(progress).toEqual([10, 19.5, 24]);
    expect(segments).toHaveLength(2);
  });

  it('begins each window where the text of the one before ended', async () => {
    const { segments, model } = await run(
      [
        { text: [0, ' one.', 3, 3, ' tw'] },
        { text: [0.2, ' two.', 4, 4, ' thr'] },
        { text: [0, ' three.', 5.5] },
        { text: [0, ' four.', 1] },
      ],
      { seconds: 18.5 },
    );
    expect(segments.map(({ seek }) => seek)).toEqual([0, 300, 700, 1700]);
    expect(timesOf(segments)).toEqual([
      [0, 3, ' one.'],
      [3.2, 7, ' two.'],
      [7, 12.5, ' three.'],
      [17, 18, ' four.'],
    ]);
    expect(model.encodings).toBe(4);
  });

  it.each<[string, [number, number][], number]>([
    ['after the window', [[0, 5]], 1000],
    [
      'where speech begins that it cuts off',
      [
        [0, 5],
        [8.5, 10],
      ],
      850,
    ],
    [
      'not before the last segment ends',
      [
        [0, 3.7],
        [3.9, 10],
      ],
      400,
    ],
    [
      'after the window, where speech goes on from the last segment',
      [
        [0, 3],
        [3.5, 10],
      ],
      1000,
    ],
    [
      'after the window, where speech ends in it',
      [
        [0, 5],
        [8.5, 9.5],
      ],
      1000,
    ],
    ['after the window, where the last segment is all of the speech', [[0, 10]], 1000],
  ])('goes on %s', async (_, regions, seek) => {
    const find = async () => regions.map(([startSeconds, endSeconds]) => ({ startSeconds, endSeconds }));
    const scripts = [{ text: [0, ' one.', 2, 2, ' two.', 4] }, { text: [0, ' three.', 1] }];
    const { segments } = await run(scripts, { seconds: 20.2, tools: { find } });
    expect(segments[2]).toMatchObject({ text: ' three.', seek });
  });

  it.each<[string, number, number, number]>([
    ['skips the end of a word that a window cut', 9.8, 0.4, 1040],
    ['does not skip more than that', 9.8, 0.6, 1000],
    ['does not skip a word that nobody has written down', 9, 0.4, 1000],
  ])('%s', async (_, end, tail, seek) => {
    const speech = [
      [{ startSeconds: 0, endSeconds: 10 }],
      [
        { startSeconds: 0, endSeconds: tail },
        { startSeconds: 0.8, endSeconds: 5 },
      ],
    ];
    const find = async () => speech.shift() ?? [{ startSeconds: 0, endSeconds: 5 }];
    const scripts = [{ text: [0, ' one.', end] }, { text: [0.5, ' two.', 2] }];
    const { segments } = await run(scripts, { seconds: 16, tools: { find } });
    expect(segments[1]).toMatchObject({ text: ' two.', seek });
  });

  it('keeps times within the audio', async () => {
    const { segments, end } = await run([{ text: [0, ' a.', 1, 1.5, ' b.', 9, 9.2, ' c.', 9.9] }], {
      seconds: 2.4,
    });
    expect(timesOf(segments)).toEqual([
      [0, 1, ' a.'],
      [1.5, 2.4, ' b.'],
    ]);
    expect(end).toMatchObject({ durationSeconds: 2.4 });
  });

  it('does not listen to less than a tenth of a second', async () => {
    expect((await run([], { seconds: 0.09 })).model.encodings).toBe(0);
    expect((await run([{ text: [0, ' a', 0.1] }], { seconds: 0.1 })).segments).toHaveLength(1);
    expect((await run([], { seconds: 0 })).events).toEqual([
      { type: 'transcription-end', language: 'en', durationSeconds: 0 },
    ]);
  });

  it('takes a window without any text', async () => {
    const { segments, progress } = await run([{ text: [] }, { text: [0] }], { seconds: 20 });
    expect(segments).toEqual([]);
    expect(progress).toEqual([8, 16, 20]);
  });

  it('hears the end of a window without text again, where sound goes on to its end', async () => {
    const speech = (endSeconds: number) => async () => [{ startSeconds: 0, endSeconds }];
    const scripts = [{ text: [0] }, { text: [1, ' a.', 9] }];
    const heard = await run(scripts, { seconds: 18, tools: { find: speech(10) } });
    expect(timesOf(heard.segments)).toEqual([[9, 17, ' a.']]);
    const ended = await run(scripts, { seconds: 18, tools: { find: speech(9.5) } });
    expect(timesOf(ended.segments)).toEqual([[11, 18, ' a.']]);
  });

  it('drops what a model makes of noise, though not of a hard speaker', async () => {
    const guess = { text: [0, ' a.', 9], certainty: 0.1 };
    const texts = async (noSpeech: number) => (await run([{ ...guess, noSpeech }])).segments.length;
    expect(await texts(0.55)).toBe(0);
    expect(await texts(0.45)).toBeGreaterThan(0);
  });

  it('drops segments without text or length, and those that nobody can have said', async () => {
    const { segments } = await run([{ text: [0, '  ', 1, 1, ' a.', 2, 2, ' b.', 3, 3, ' diamond.', 3.1] }]);
    expect(timesOf(segments)).toEqual([
      [1, 2, ' a.'],
      [2, 3, ' b.'],
    ]);
  });

  describe('language', () => {
    it('is heard once, in the first window, if not given', async () => {
      const { end, model } = await run([{ text: [0, ' ja.', 9], language: 'de' }, { text: [0, ' ja.', 9] }], {
        language: undefined,
        seconds: 20,
      });
      expect(end).toMatchObject({ language: 'de' });
      expect(model.detections).toBe(1);
      expect(model.prefixes[0]).toEqual([startOfTranscript, languages.get('de'), transcribe]);
    });

    it('is that of the first window with text', async () => {
      const chords = { text: [0], language: 'de' };
      const { end, model } = await run([chords, chords, { text: [0, ' yes.', 9], language: 'en' }], {
        language: undefined,
        seconds: 30,
      });
      expect(end).toMatchObject({ language: 'en' });
      expect(model.detections).toBe(3);
      expect(model.prefixes.at(-1)).toEqual(english);
    });

    it('is not settled by a guess', async () => {
      const { end, model } = await run(
        [
          { text: [0, ' a.', 9], certainty: 1, language: 'de' },
          { text: [0, ' yes.', 9], language: 'en' },
          { text: [0, ' yes.', 9], language: 'de' },
        ],
        { language: undefined, seconds: 30 },
      );
      expect(end).toMatchObject({ language: 'en' });
      expect(model.detections).toBe(2);
    });

    it('is unknown where no window has text', async () => {
      const { end, segments } = await run(
        ['de', 'de', 'en'].map((language) => ({ text: [0], language })),
        {
          language: undefined,
          seconds: 30,
        },
      );
      expect(segments).toEqual([]);
      expect(end).toMatchObject({ language: undefined });
    });

    it('is followed by the task', async () => {
      const tools = { vocabulary: { ...vocabulary, translate: 29 } };
      const { model } = await run([{ text: [0, ' ja.', 9] }], { task: 'translate', tools });
      expect(model.prefixes[0]).toEqual([startOfTranscript, languages.get('en'), 29]);
    });

    it('is not heard if given, nor by a model that knows one', async () => {
      expect((await run([{ text: [], language: 'de' }])).model.detections).toBe(0);
      const only = { ...vocabulary, languages: new Map<string, number>(), transcribe: undefined };
      const { model, end } = await run([{ text: [0, ' a.', 1] }], {
        tools: { vocabulary: only },
        language: undefined,
      });
      expect(end).toMatchObject({ language: undefined });
      expect(model.detections).toBe(1); // its whole prefix
    });
  });

  describe('previous text', () => {
    const previous = (text: readonly (string | number)[]) => [startOfPrevious, ...tokensOf(text), ...english];

    it('is the prompt, and then what was said', async () => {
      const scripts = [{ text: [0, ' a.', 9] }, { text: [0, ' b.', 9] }, { text: [0, ' c.', 9] }];
      const { model } = await run(scripts, { prompt: tokensOf(['names']), seconds: 30 });
      expect(model.prefixes).toEqual([
        previous(['names']),
        previous(['names', 0, ' a.', 9]),
        previous(['names', 0, ' a.', 9, 0, ' b.', 9]),
      ]);
    });

    it('is left out where the model hears nothing because of it', async () => {
      const scripts = [{ text: [0, ' a.', 9], prompted: [] }, { text: [0, ' b.', 9] }];
      const { model, segments } = await run(scripts, { prompt: tokensOf(['names']), seconds: 20 });
      expect(model.prefixes).toEqual([previous(['names']), english, previous([0, ' a.', 9])]);
      expect(segments.map(({ text }) => text)).toEqual([' a.', ' b.']);
    });

    it.each([
      ['nobody says it', [], undefined],
      ['something else is said', [0, ' hello.', 9], ' hello.'],
      ['it is said, the prompt tells how', [0, ' he is karl.', 9], ' he is carl.'],
    ] as const)(
      'that comes out as the answer is heard once more without: %s',
      async (_name, text, expected) => {
        const prompted = [0, ' he is carl.', 9];
        const { model, segments } = await run([{ text, prompted }], {
          prompt: tokensOf([' he is carl.']),
          seconds: 9.5,
        });
        expect(model.prefixes).toEqual([previous([' he is carl.']), english]);
        expect(segments.map((segment) => segment.text)).toEqual(expected === undefined ? [] : [expected]);
      },
    );

    it('is context for a text that is more than twice as long, or that has few of its words', async () => {
      for (const text of [
        [0, ' he is carl. he is carl. hello.', 9],
        [0, ' hello is it.', 9],
      ]) {
        const { model } = await run([{ text }], { prompt: tokensOf([' he is carl.']) });
        expect(model.prefixes).toEqual([previous([' he is carl.'])]);
      }
    });

    it('is at most half of the context', async () => {
      const prompt = Array.from({ length: 300 }, (_, index) => index % 20);
      const { model } = await run([{ text: [0, ' a.', 9] }], { prompt });
      expect(model.prefixes[0]).toEqual([startOfPrevious, ...prompt.slice(-99), ...english]);
    });

    it('is forgotten after a text that is a guess', async () => {
      const { model } = await run([{ text: [0, ' a.', 9], certainty: 1 }, { text: [0, ' b.', 9] }], {
        seconds: 20,
      });
      expect(model.prefixes).toEqual([english, english]);
    });

    it('is forgotten after a text of a high temperature', async () => {
      const scripts = [{ text: [0, ' a.', 9] }, { text: [0, ' b.', 9] }];
      const prefixesAt = async (temperature: number) =>
        (await run(scripts, { temperature, seconds: 20 })).model.prefixes;
      expect(await prefixesAt(0.5)).toEqual([english, previous([0, ' a.', 9])]);
      expect(await prefixesAt(0.6)).toEqual([english, english]);
    });

    it('is without what was left out of the transcript', async () => {
      const scripts = [{ text: [0, ' a.', 8, 8, '  ', 9] }, { text: [0, ' b.', 9] }];
      const { model } = await run(scripts, { seconds: 20 });
      expect(model.prefixes[1]).toEqual(previous([0, ' a.', 8]));
    });

    it('is the prompt alone, before the first window, where the model is not to go by what was said', async () => {
      const scripts = [{ text: [0, ' a.', 9] }, { text: [0, ' b.', 9] }];
      const tools = { conditionsOnPrevious: false };
      const { model } = await run(scripts, { prompt: tokensOf(['names']), seconds: 20, tools });
      expect(model.prefixes).toEqual([previous(['names']), english]);
    });

    it('is left out where the model takes none', async () => {
      const tools = { vocabulary: { ...vocabulary, startOfPrevious: undefined } };
      const { model } = await run([{ text: [0, ' a.', 9] }, { text: [0, ' b.', 9] }], { seconds: 20, tools });
      expect(model.prefixes).toEqual([english, english]);
    });
  });

  describe('fallback', () => {
    const repetitive = { text: [0, 'a'.repeat(38), 9], alternative: 'b', certainty: 12 };

    it('is not needed for a good text', async () => {
      const { model } = await run([{ text: [0, ' one.', 9] }]);
      expect(model.steps).toBe(tokensOf([0, ' one.', 9]).length);
    });

    it('decodes what repeats itself at a higher temperature', async () => {
      const [segment] = (await run([repetitive])).segments;
      expect(segment!.temperature).toBeGreaterThan(0);
      expect(segment!.text).toMatch(/^[ab]{38}$/);
      expect(segment!.text).toContain('b');
      expect(segment!.compressionRatio).toBeLessThanOrEqual(2.4);
    });

    it('draws the same text for the same request', async () => {
      const texts = await Promise.all([1, 2, 3].map(async () => (await run([repetitive])).segments[0]!.text));
      expect(new Set(texts).size).toBe(1);
    });

    it('draws differently in another window', async () => {
      const { segments } = await run([repetitive, repetitive], { seconds: 20 });
      expect(segments[0]!.text).not.toBe(segments[1]!.text);
    });

    it.each([0.1, 0.3, 1])('leaves the temperature %d, which was asked for', async (temperature) => {
      const { segments, model } = await run([{ text: [0, ' one two.', 9], certainty: 1 }], { temperature });
      expect(segments.every((segment) => segment.temperature === temperature)).toBe(true);
      expect(model.prefixes).toHaveLength(1);
    });

    it('takes the likeliest of texts that are all guesses', async () => {
      const { segments, model } = await run([{ text: [0, ' one two.', 9], certainty: 1 }]);
      expect(model.steps).toBeGreaterThan(6 * 3);
      expect(segments.every(({ averageLogprob }) => averageLogprob < -1)).toBe(true);
    });

    it('ends a text in a loop before its last token', async () => {
      const loop = [0, 'xyz', 1, ...Array.from({ length: 40 }, () => ' again.'), 9];
      const steps = async (temperature: number) => (await run([{ text: loop }], { temperature })).model.steps;
      const whole = await steps(0.2);
      const attempts = 6;
      expect(await steps(0)).toBeLessThan(whole + (attempts * whole) / 4);
    });

    it('shortens a loop that no temperature ends', async () => {
      const loop = Array.from({ length: 12 }, (_, index) => [index / 2, ' again.', index / 2 + 0.5]).flat();
      const { segments } = await run([{ text: loop }, { text: [0, ' b.', 9] }], { seconds: 20 });
      expect(segments.map(({ text }) => text)).toEqual([' again.', ' b.']);
      expect(segments[0]!.compressionRatio).toBeGreaterThan(2.4);
    });
  });

  describe('silence', () => {
    it('is what the model takes for it, when its text is a guess', async () => {
      const { segments, model } = await run(
        [
          { text: [0, ' you', 9], certainty: 1, noSpeech: 0.9 },
          { text: [0, ' b.', 9], noSpeech: 0.9 },
        ],
        { seconds: 18 },
      );
      expect(timesOf(segments)).toEqual([[8, 17, ' b.']]);
      expect(model.prefixes).toHaveLength(2);
    });

    it('is not transcribed where the gate hears nobody', async () => {
      const find = async () => [{ startSeconds: 0.9, endSeconds: 4 }];
      const text = [0, ' no.', 0.8, 0.8, ' yes.', 3, 3, ' yes.', 5, 6, ' no.', 9];
      expect(timesOf((await run([{ text }], { tools: { find } })).segments)).toEqual([
        [0.8, 3, ' yes.'],
        [3, 5, ' yes.'],
      ]);
    });

    it('before the speech is skipped, so that the times are right', async () => {
      const speech = [[{ startSeconds: 7.25, endSeconds: 9 }], [{ startSeconds: 0, endSeconds: 2 }], []];
      const find = async () => speech.shift() ?? [];
      const { segments } = await run([{ text: [0.3, ' a.', 1.5] }], { tools: { find } });
      expect(segments[0]).toMatchObject({ seek: 725, startSeconds: 7.55, endSeconds: 8.75 });
    });

    it('of an hour is passed over without the model', async () => {
      const reads: number[] = [];
      const find = async ({ length }: Float32Array) => {
        reads.push(length);
        return [];
      };
      const { model, segments, end } = await run([], {
        seconds: 3600,
        tools: { find },
        language: undefined,
      });
      expect(model.encodings).toBe(0);
      expect(segments).toEqual([]);
      expect(end).toEqual({ type: 'transcription-end', language: undefined, durationSeconds: 3600 });
      expect(Math.max(...reads)).toBe(160_000);
      expect(reads.length).toBeLessThan(400);
    });
  });

  it('gives words their times, inside of their segment', async () => {
    const { segments } = await run([{ text: [0, ' one two.', 3, 4, ' three.', 9] }], {
      wordTimestamps: true,
    });
    expect(segments.map(({ words }) => words!.map(({ word }) => word))).toEqual([
      ['one', 'two.'],
      ['three.'],
    ]);
    for (const { startSeconds, endSeconds, words } of segments) {
      const times = words!.flatMap((word) => [word.startSeconds, word.endSeconds]);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times[0]).toBeGreaterThanOrEqual(startSeconds);
      expect(times.at(-1)).toBeLessThanOrEqual(endSeconds);
    }
  });

  it.each([1, 5, 20])('stops within a step of being cancelled, after %i steps', async (after) => {
    const controller = new AbortController();
    const model = new ScriptedModel([{ text: [0, ' a rather long text.', 9] }]);
    model.onStep = () => {
      if (model.steps === after) controller.abort();
    };
    const asked = eventsOf(model, { seconds: 60, signal: controller.signal });
    await expect(asked.next()).rejects.toMatchObject({ code: 'cancelled' });
    expect(model.steps).toBe(after);
    expect(model.held).toBe(0);
  });

  it('hands on what goes wrong with the audio', async () => {
    async function* broken() {
      yield* secondsOf(3);
      throw new Error('damaged');
    }
    await expect(run([], { blocks: broken() })).rejects.toThrow('damaged');
  });
});
