import type { TranscriptionSettings } from '../../../../src/categories/transcription/settings.ts';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../../../src/contracts/model.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import type {
  TranscriptionEvent,
  TranscriptionModelInfo,
} from '../../../../src/categories/transcription/events.ts';
import type { TranscriptionRequest } from '../../../../src/categories/transcription/request.ts';
import { completeTranscriptionRequest } from '../../../../src/categories/transcription/request.ts';
import { loadPipeline } from '../../../../src/loading/load-pipeline.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadTranscriptionPipeline } from '../../../../src/categories/transcription/pipeline/transcription-pipeline.ts';
import type { Recognizer, RecognizerAbility } from '../../../../src/categories/transcription/recognizer.ts';
import { miniWhisper } from './mini-whisper.ts';
import { glide, silence, toWav } from './recordings.ts';

const load = (spec: Omit<Partial<ModelSpec<TranscriptionSettings>>, 'category'> = {}) =>
  loadPipeline({
    id: 'mini',
    category: 'transcription',
    source: miniWhisper,
    threads: 1,
    ...spec,
  });

const request = (changes: Partial<TranscriptionRequest> = {}) => ({
  ...completeTranscriptionRequest({ model: 'mini', audio: toWav(glide(6)) }),
  ...changes,
});

async function collect(
  pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>,
  changes: Partial<TranscriptionRequest> = {},
): Promise<TranscriptionEvent[]> {
  const events: TranscriptionEvent[] = [];
  for await (const event of pipeline.run(request(changes))) events.push(event);
  return events;
}

const segmentsOf = (events: readonly TranscriptionEvent[]) =>
  events.filter((event) => event.type === 'segment').map(({ segment }) => segment);

describe('a transcription pipeline', () => {
  let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>;
  beforeAll(async () => {
    pipeline = await load();
  });
  afterAll(() => pipeline.close());

  it('says what it is', () => {
    expect(pipeline.info).toMatchObject({
      id: 'mini',
      name: 'mini',
      category: 'transcription',
      contextLength: 64,
      languages: ['de', 'en', 'jv'],
    });
  });

  it('finds segments within the audio, one after the other', async () => {
    const events = await collect(pipeline, { wordTimestamps: true });
    const segments = segmentsOf(events);
    expect(segments.length).toBeGreaterThan(1);
    expect(segments.map(({ id }) => id)).toEqual([...segments.keys()]);
    const times = segments.flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(6);
    for (const { words, startSeconds, endSeconds } of segments) {
      for (const word of words!) {
        expect(word.startSeconds).toBeGreaterThanOrEqual(startSeconds);
        expect(word.endSeconds).toBeLessThanOrEqual(endSeconds);
      }
    }
    expect(events.at(-1)).toMatchObject({ type: 'transcription-end', durationSeconds: 6 });
    expect(pipeline.info.languages).toContain((events.at(-1) as { language?: string }).language);
  });

  it('gives the same answer to the same request, at any temperature', async () => {
    for (const temperature of [0, 0.7]) {
      const [once, again] = [
        await collect(pipeline, { temperature }),
        await collect(pipeline, { temperature }),
      ];
      expect(again).toEqual(once);
    }
  });

  it.each<[string, Partial<TranscriptionRequest>]>([
    ['temperature', { temperature: 1 }],
    ['language', { language: 'en' }],
  ])('takes the %s into account', async (_, changes) => {
    const tokensOf = async (given: Partial<TranscriptionRequest>) =>
      segmentsOf(await collect(pipeline, { language: 'de', ...given })).flatMap(({ tokens }) => tokens);
    expect(await tokensOf(changes)).not.toEqual(await tokensOf({}));
  });

  it('takes languages as ISO 639-1 has them, and tells the one that was asked for', async () => {
    expect((await collect(pipeline, { language: 'jv' })).at(-1)).toMatchObject({ language: 'jv' });
    expect((await collect(pipeline, { language: 'EN' })).at(-1)).toMatchObject({ language: 'en' });
  });

  it.each(['fr', 'xx', 'klingon', ''])('refuses the language %j, and lists its own', async (language) => {
    await expect(collect(pipeline, { language })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'language',
      message: `language: expected one of de, en, jv, got ${JSON.stringify(language)}.`,
    });
  });

  it('refuses what is no audio', async () => {
    await expect(collect(pipeline, { audio: Buffer.from('hello, this is text') })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'file',
    });
  });

  it('runs several at once', async () => {
    const alone = [await collect(pipeline), await collect(pipeline, { language: 'de' })];
    expect(await Promise.all([collect(pipeline), collect(pipeline, { language: 'de' })])).toEqual(alone);
  });

  it('hears nobody in silence', async () => {
    const events = await collect(pipeline, { audio: toWav(silence(20)) });
    expect(events.filter(({ type }) => type !== 'progress')).toEqual([
      { type: 'transcription-end', language: undefined, durationSeconds: 20 },
    ]);
  });

  it('can be cancelled, and is fit for the next request', async () => {
    const controller = new AbortController();
    const run = pipeline.run(request({ audio: toWav(glide(60)) }), { signal: controller.signal });
    const events = run[Symbol.asyncIterator]();
    await events.next();
    controller.abort();
    const rest = async () => {
      while (!(await events.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'cancelled' });
    expect((await collect(pipeline)).at(-1)!.type).toBe('transcription-end');
  });

  it('lets a request end before it closes', async () => {
    const closing = await load();
    const run = collect(closing);
    await closing.close();
    expect((await run).at(-1)!.type).toBe('transcription-end');
  });
});

const speakers = new URL('golden/speakers/', import.meta.url).pathname;
const diarization = { segmentation: join(speakers, 'segmentation'), embedding: join(speakers, 'embedding') };

describe('speakers', () => {
  /** One voice, then another. */
  const dialog = glide(12).map((sample, index) => sample / 4 + (index < 96_000 ? 0.2 : -0.2));
  const speakersOf = (events: readonly TranscriptionEvent[]) =>
    events.flatMap((event) => (event.type === 'speakers' ? event.segments : []));

  /** Says four words, whatever it hears. */
  const recognizerOf = (abilities: readonly RecognizerAbility[]): Recognizer => ({
    maxSeconds: 30,
    contextLength: 0,
    languages: [],
    abilities: new Set(abilities),
    recognize: async () => ({
      text: 'One, two. Three, four.',
      tokens: [1],
      averageLogprob: 0,
      words: ['One,', 'two.', 'Three,', 'four.'].map((word, index) => ({
        word,
        startSeconds: 1 + 3 * index,
        endSeconds: 2 + 3 * index,
      })),
    }),
    release: async () => {},
  });
  const loadScripted = (abilities: readonly RecognizerAbility[]) =>
    loadTranscriptionPipeline(
      { id: 'mini', source: miniWhisper, voiceActivity: 'none', diarization },
      onnxSessions,
      {
        name: 'scripted',
        modelTypes: [],
        files: { small: [], stems: [], graphs: () => [] },
        open: async () => recognizerOf(abilities),
      },
    );

  it.each<[string, RecognizerAbility[], unknown[]]>([
    [
      'the words that lie in their turns',
      ['wordTimestamps'],
      [
        { speaker: 'A', startSeconds: 1, endSeconds: 5, text: 'One, two.' },
        { speaker: 'B', startSeconds: 7, endSeconds: 11, text: 'Three, four.' },
      ],
    ],
    [
      'whole segments, of a model without times of words',
      [],
      [{ speaker: 'A', startSeconds: 0, endSeconds: 12, text: 'One, two. Three, four.' }],
    ],
  ])('say %s', async (_, abilities, expected) => {
    const pipeline = await loadScripted(abilities);
    const events = await collect(pipeline, { audio: toWav(dialog), diarize: true });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['speakers', 'transcription-end']);
    expect(speakersOf(events)).toEqual(expected);
    // Words were needed, but not asked for.
    expect(segmentsOf(events).map(({ words }) => words)).toEqual([undefined]);
    await pipeline.close();
  });

  it('are told only where they are asked for', async () => {
    const pipeline = await load({ diarization });
    const events = await collect(pipeline, { audio: toWav(dialog), wordTimestamps: true });
    expect(events.some(({ type }) => type === 'speakers')).toBe(false);
    const told = await collect(pipeline, { audio: toWav(dialog), wordTimestamps: true, diarize: true });
    expect(told.filter(({ type }) => type !== 'speakers')).toEqual(events);
    await pipeline.close();
  });

  it('are none in silence', async () => {
    const pipeline = await load({ diarization });
    const events = await collect(pipeline, { audio: toWav(silence(5)), diarize: true });
    expect(events.filter(({ type }) => type === 'speakers')).toEqual([{ type: 'speakers', segments: [] }]);
    await pipeline.close();
  });

  it('are refused where no models for them are named', async () => {
    const pipeline = await load();
    await expect(collect(pipeline, { diarize: true })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'response_format',
      message: expect.stringContaining('diarized_json isn'),
    });
    await pipeline.close();
  });
});

describe('settings', () => {
  it('refuses audio that is longer than wanted', async () => {
    const pipeline = await load({ maxAudioSeconds: 5 });
    await expect(collect(pipeline)).rejects.toMatchObject({ code: 'invalid_request', param: 'file' });
    await pipeline.close();
  });

  it('listens to silence too, without a gate', async () => {
    const pipeline = await load({ voiceActivity: 'none' });
    expect((await collect(pipeline, { audio: toWav(silence(3)) })).at(-1)).toMatchObject({
      language: expect.any(String),
    });
    await pipeline.close();
  });

  it.each<[Partial<ModelSpec<TranscriptionSettings>>, string, string]>([
    [{ voiceActivity: 'loud' }, 'voiceActivity', 'expected energy, none or the path of a Silero VAD graph'],
    [
      { voiceActivity: join(miniWhisper, 'onnx/encoder_model.onnx') },
      'voiceActivity',
      'is not a Silero VAD graph',
    ],
    [{ voiceActivity: join(miniWhisper, 'config.json') }, 'voiceActivity', 'is not a Silero VAD graph'],
    [
      { diarization: { ...diarization, segmentation: 'no-such-folder' } },
      'diarization.segmentation',
      'no-such-folder is no segmentation model: found nothing there',
    ],
    [
      { diarization: { ...diarization, segmentation: diarization.embedding } },
      'diarization.segmentation',
      'expected one input of samples, [1, 1, samples]',
    ],
    [
      { diarization: { ...diarization, embedding: join(diarization.segmentation, 'onnx/model.onnx') } },
      'diarization.embedding',
      'is no embedding model',
    ],
    [{ diarization: { ...diarization, embedding: miniWhisper } }, 'diarization.embedding', 'model.onnx'],
    [{ source: 'no-such-model' }, 'source', 'no-such-model'],
  ])('refuses %j', async (spec, param, reason) => {
    await expect(load(spec)).rejects.toMatchObject({
      code: 'invalid_request',
      param,
      message: expect.stringContaining(reason),
    });
  });
});

describe('models that can do less', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slashv1-transcription-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function loadWith(settings: Readonly<Record<string, unknown>>, tokenizer = {}, spec = {}) {
    await cp(miniWhisper, folder, { recursive: true });
    for (const [file, changes] of Object.entries({
      'generation_config.json': settings,
      'tokenizer.json': tokenizer,
    })) {
      const content = JSON.parse(await readFile(join(folder, file), 'utf8')) as object;
      await writeFile(join(folder, file), JSON.stringify({ ...content, ...changes }));
    }
    return load({ ...spec, source: folder });
  }

  it('take English alone', async () => {
    const pipeline = await loadWith({ is_multilingual: false });
    expect(pipeline.info.languages).toEqual(['en']);
    for (const language of [undefined, 'en'])
      expect((await collect(pipeline, { language })).at(-1)).toMatchObject({ language: 'en' });
    await expect(collect(pipeline, { language: 'de' })).rejects.toMatchObject({
      param: 'language',
      message: 'language: expected en, got "de".',
    });
    await pipeline.close();
  });

  it('need not find out the only language that they have', async () => {
    const pipeline = await loadWith({ lang_to_id: { '<|de|>': 259 } });
    expect((await collect(pipeline, { audio: toWav(silence(3)) })).at(-1)).toMatchObject({ language: 'de' });
    await pipeline.close();
  });

  it('take no language', async () => {
    const pipeline = await loadWith({ lang_to_id: {} });
    expect(pipeline.info.languages).toEqual([]);
    expect((await collect(pipeline)).at(-1)).toMatchObject({ language: undefined });
    await expect(collect(pipeline, { language: 'en' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'language',
      message: 'language: the model has no language setting, got "en".',
    });
    await pipeline.close();
  });

  it('translate', async () => {
    const pipeline = await loadWith({});
    expect((await collect(pipeline, { task: 'translate' })).at(-1)!.type).toBe('transcription-end');
    await pipeline.close();
  });

  it.each([
    ['that know English alone', { is_multilingual: false }],
    ['that know other tasks', { task_to_id: { transcribe: 262 } }],
  ])('%s do not translate', async (_title, generationConfig) => {
    const pipeline = await loadWith(generationConfig, { added_tokens: [] });
    await expect(collect(pipeline, { task: 'translate' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'model',
      message: 'model: the model does not translate.',
    });
    await pipeline.close();
  });

  it('take no prompt', async () => {
    const pipeline = await loadWith({ prev_sot_token_id: undefined }, { added_tokens: [] });
    await expect(collect(pipeline, { prompt: 'names' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'prompt',
    });
    expect((await collect(pipeline, { prompt: ' ' })).at(-1)!.type).toBe('transcription-end');
    await pipeline.close();
  });

  it('have no word timestamps', async () => {
    const pipeline = await loadWith({ alignment_heads: [[7, 0]] });
    await expect(collect(pipeline, { wordTimestamps: true })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'timestamp_granularities',
    });
    await pipeline.close();
  });

  it('tell speakers apart without word timestamps, by whole segments', async () => {
    const pipeline = await loadWith({ alignment_heads: [[7, 0]] }, {}, { diarization });
    const events = await collect(pipeline, { diarize: true });
    const told = events.flatMap((event) => (event.type === 'speakers' ? event.segments : []));
    expect(told.map(({ text }) => text)).toEqual(
      segmentsOf(events).flatMap(({ text }) => (text.trim() === '' ? [] : [text.trim()])),
    );
    expect(told.length).toBeGreaterThan(0);
    await pipeline.close();
  });
});
