import type { SpeechSettings } from '../../../../src/categories/speech/settings.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { default as wavefile } from 'wavefile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InferenceError } from '../../../../src/errors.ts';
import {
  completeSpeechRequest,
  type SpeechRequestInput,
  type SpeechRequest,
} from '../../../../src/categories/speech/request.ts';
import type { ModelSpec } from '../../../../src/contracts/model.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import type { SpeechEvent, SpeechModelInfo } from '../../../../src/categories/speech/events.ts';
import { loadPipeline } from '../../../../src/loading/load-pipeline.ts';
import {
  stairHeight,
  stairLength,
  styleTable,
  vocabulary,
  writeSpeaker,
  type SpeakerFolderOptions,
} from './stair-speaker.ts';

let folder: string;
const opened: Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-speech-'));
});
afterAll(async () => {
  await Promise.all(opened.map((pipeline) => pipeline.close()));
  await rm(folder, { recursive: true });
});

let models = 0;
async function load(
  options: SpeakerFolderOptions = {},
  more: Omit<Partial<ModelSpec<SpeechSettings>>, 'category'> = {},
): Promise<Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>> {
  const source = await writeSpeaker(join(folder, String((models += 1))), options);
  const pipeline = await loadPipeline({
    id: 'stairs',
    category: 'speech',
    source,
    threads: 1,
    ...more,
  });
  opened.push(pipeline);
  return pipeline;
}

interface Spoken {
  readonly mediaType: string;
  readonly durationSeconds: number;
  /** Bytes of each event. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: Buffer;
}

async function speak(
  pipeline: Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>,
  request: Partial<SpeechRequestInput>,
): Promise<Spoken> {
  const events: SpeechEvent[] = [];
  for await (const event of pipeline.run(
    completeSpeechRequest({ model: 'stairs', input: 'be', ...request }),
  )) {
    events.push(event);
  }
  const [start, ...audio] = events;
  const end = audio.pop();
  if (start?.type !== 'speech-start' || end?.type !== 'speech-end') throw new Error('incomplete');
  expect(start.sampleRateHz).toBe(24_000);
  const pieces = audio.map((event) => (event as SpeechEvent & { type: 'audio' }).bytes);
  return {
    mediaType: start.mediaType,
    durationSeconds: end.durationSeconds,
    pieces,
    bytes: Buffer.concat(pieces),
  };
}

const samplesOf = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at) / 32_767);

/** Heights of the steps in a recording, those of silence left out. */
async function steps(
  pipeline: Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>,
  request: Partial<SpeechRequestInput>,
): Promise<number[]> {
  const samples = samplesOf((await speak(pipeline, { ...request, format: 'pcm' })).bytes);
  const found: number[] = [];
  for (const [at, sample] of samples.entries()) {
    // A step is what stays the same for a while, beside the fades.
    if (sample !== 0 && samples[at + 99] === sample && found.at(-1) !== sample) found.push(sample);
  }
  return found;
}

const heights = (phonemes: string, gain = 1): number[] =>
  Array.from(phonemes, (phoneme) => Math.round(stairHeight(vocabulary[phoneme]!, gain) * 32_767) / 32_767);

const close = (found: readonly number[], expected: readonly number[]): void => {
  expect(found).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(found[at]).toBeCloseTo(value, 3);
};

async function errorOf(
  pipeline: Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>,
  request: Partial<SpeechRequestInput>,
): Promise<InferenceError> {
  return speak(pipeline, request).then(
    () => expect.fail('no error'),
    (error: InferenceError) => error,
  );
}

describe('a speech pipeline', () => {
  let pipeline: Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>;
  beforeAll(async () => {
    pipeline = await load({
      voices: {
        af_heart: styleTable(() => 1),
        am_adam: styleTable(() => 2),
        bf_rows: styleTable((row) => 1 + row / 100),
        zf_xiaobei: styleTable(() => 1),
      },
    });
  });

  it('tells what it knows; voices that nothing here can read are not among them', () => {
    expect(pipeline.info).toMatchObject({ category: 'speech', contextLength: 0 });
    expect(pipeline.info.voices).toEqual([
      { id: 'af_heart', name: 'Heart (American English, female)', language: 'en-US' },
      { id: 'am_adam', name: 'Adam (American English, male)', language: 'en-US' },
      { id: 'bf_rows', name: 'Rows (British English, female)', language: 'en-GB' },
    ]);
    expect(pipeline.info.created).toBeGreaterThan(0);
  });

  it('gives the graph the phonemes of the text', async () => {
    close(await steps(pipeline, { input: 'a bee sees' }), heights('ə bˈi sˈiz'));
  });

  it('reads markup: pauses, given phonemes, labels of links', async () => {
    const withBreak = (time: string) =>
      speak(pipeline, { input: `<speak>bee<break time="${time}"/>bee</speak>` });
    const [short, long] = [await withBreak('500ms'), await withBreak('2s')];
    expect(long.durationSeconds - short.durationSeconds).toBeCloseTo(1.5, 3);
    close(await steps(pipeline, { input: 'a [bee](/sˈiz/) sees' }), heights('ə sˈiz sˈiz'));
    close(await steps(pipeline, { input: 'a [bee](https://sees.bee) sees' }), heights('ə bˈi sˈiz'));
  });

  it('reads every character where markup is off', async () => {
    const { durationSeconds } = await speak(pipeline, { input: '<i>bee</i>' });
    const plain = await speak(pipeline, { input: '[bee](bee)', markup: false });
    expect(plain.durationSeconds).toBeGreaterThan(1.5 * durationSeconds);
  });

  it('writes one piece as a WAV whose header is exact', async () => {
    const { bytes, pieces, mediaType, durationSeconds } = await speak(pipeline, { input: 'be' });
    expect(mediaType).toBe('audio/wav');
    expect(pieces).toHaveLength(1);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    const file = new wavefile.WaveFile(bytes);
    expect(file.fmt).toMatchObject({ audioFormat: 1, numChannels: 1, sampleRate: 24_000, bitsPerSample: 16 });
    expect((bytes.length - 44) / 2 / 24_000).toBe(durationSeconds);
  });

  it('streams several pieces as they are made, after a header without sizes', async () => {
    const { bytes, pieces, durationSeconds } = await speak(pipeline, { input: 'A bee. A red bee! Be?' });
    expect(pieces).toHaveLength(3);
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(4)).toBe(0xffff_ffff);
    expect(bytes.toString('latin1', 36, 40)).toBe('data');
    expect(bytes.readUInt32LE(40)).toBe(0xffff_ffff);
    expect((bytes.length - 44) / 2 / 24_000).toBe(durationSeconds);
  });

  it('rests between pieces, and no piece begins or ends with a click', async () => {
    const { pieces } = await speak(pipeline, { input: 'A bee. A bee', format: 'pcm' });
    const [first, second] = pieces.map((bytes) => samplesOf(Buffer.from(bytes)));
    const rest = Math.round(0.3 * 24_000);
    expect(first!.slice(-rest).every((sample) => sample === 0)).toBe(true);
    expect(second!.at(-1)).toBe(0);
    for (const samples of [first!.slice(0, -rest), second!]) {
      expect(samples[0]).toBe(0);
      expect(samples.at(-1)).toBe(0);
      expect(Math.max(...samples)).toBeGreaterThan(0.1);
    }
  });

  it('pcm is what the WAV holds', async () => {
    const wav = await speak(pipeline, { input: 'a red circle' });
    const pcm = await speak(pipeline, { input: 'a red circle', format: 'pcm' });
    expect(pcm.mediaType).toBe('audio/pcm');
    expect(pcm.bytes.equals(wav.bytes.subarray(44))).toBe(true);
  });

  it.each([0.25, 0.5, 2, 4])('speed %f acts', async (speed) => {
    const sounding = async (at: number): Promise<number> => {
      const { bytes } = await speak(pipeline, { input: 'a red circle', speed: at, format: 'pcm' });
      return samplesOf(bytes).filter((sample) => sample !== 0).length;
    };
    expect((await sounding(speed)) * speed).toBeCloseTo(await sounding(1), -2);
  });

  it('voices act', async () => {
    close(await steps(pipeline, { input: 'bee', voice: 'am_adam' }), heights('bˈi', 2));
  });

  it('takes the style of the number of phonemes', async () => {
    close(await steps(pipeline, { input: 'bee', voice: 'bf_rows' }), heights('bˈi', 1.03));
    close(await steps(pipeline, { input: 'bees', voice: 'bf_rows' }), heights('bˈiz', 1.04));
  });

  it.each([
    ['alloy', 1],
    ['onyx', 2],
    ['alloy(3)+onyx', 1.25],
  ])('takes %s, a name that clients have built in, for a voice of the model', async (voice, gain) => {
    close(await steps(pipeline, { input: 'bee', voice }), heights('bˈi', gain));
  });

  it('takes no such name where they are off', async () => {
    const strict = await load({ voices: { af_heart: styleTable(() => 1) } }, { voiceAliases: false });
    expect(await errorOf(strict, { voice: 'alloy' })).toMatchObject({ param: 'voice' });
  });

  it.each([
    ['af_heart+am_adam', 1.5],
    ['af_heart(3)+am_adam(1)', 1.25],
    ['am_adam + am_adam', 2],
  ])('mixes %s', async (voice, gain) => {
    close(await steps(pipeline, { input: 'bee', voice }), heights('bˈi', gain));
  });

  it.each<[string, Partial<SpeechRequestInput>, string, RegExp]>([
    [
      'an unknown voice',
      { voice: 'nobody' },
      'voice',
      /expected one of af_heart, am_adam, bf_rows, got "nobody"/,
    ],
    ['an unknown voice in a mix', { voice: 'af_heart+nobody' }, 'voice', /got "nobody"/],
    ['a mix that is none', { voice: 'af_heart(0)+am_adam' }, 'voice', /a mix such as/],
    ['a voice of another language', { voice: 'zf_xiaobei' }, 'voice', /speaks zh, which can't be read here/],
    ['punctuation alone', { input: '…?!' }, 'input', /something to speak/],
    ['emoji alone', { input: '🔴🔵' }, 'input', /something to speak/],
    ['a script without letters of English', { input: '红色的圆' }, 'input', /something to speak/],
  ])('refuses %s', async (_title, request, param, message) => {
    const error = await errorOf(pipeline, request);
    expect(error).toMatchObject({ code: 'invalid_request', param });
    expect(error.message).toMatch(message);
  });

  it('speaks on around what it can not speak', async () => {
    close(await steps(pipeline, { input: '红 bee 🔴' }), heights('bˈi'));
  });

  it('ends between two pieces when the caller aborts', async () => {
    const controller = new AbortController();
    const input = 'A bee. '.repeat(50);
    let pieces = 0;
    const run = async (): Promise<void> => {
      const request = completeSpeechRequest({ model: 'stairs', input });
      for await (const event of pipeline.run(request, { signal: controller.signal })) {
        if (event.type === 'audio' && (pieces += 1) === 3) controller.abort();
      }
    };
    await expect(run()).rejects.toMatchObject({ code: 'cancelled' });
    expect(pieces).toBe(3);
  });

  it('long and short texts take turns', async () => {
    const order: string[] = [];
    const run = async (name: string, input: string): Promise<void> => {
      for await (const event of pipeline.run(completeSpeechRequest({ model: 'stairs', input }))) {
        if (event.type === 'audio') order.push(name);
      }
    };
    await Promise.all([run('long', 'A bee. '.repeat(20)), run('short', 'A bee.')]);
    expect(order.indexOf('short')).toBeLessThan(5);
  });

  it('closes after what runs', async () => {
    const closing = await load();
    opened.splice(opened.indexOf(closing), 1);
    const [spoken] = await Promise.all([speak(closing, { input: 'A bee. A bee.' }), closing.close()]);
    expect(spoken.pieces).toHaveLength(2);
  });
});

describe('a text longer than the model takes at once', () => {
  it('is spoken in pieces that it takes, nothing left out', async () => {
    const pipeline = await load({ config: { vocab: vocabulary, max_position_embeddings: 22 } });
    const whole = await load();
    const input = 'a red bee sees a red bee, a red bee sees a bee and a red bee sees no bee';
    const { pieces } = await speak(pipeline, { input, format: 'pcm' });
    for (const bytes of pieces)
      expect(bytes.length / 2).toBeLessThanOrEqual(20 * stairLength + 0.12 * 24_000);
    expect(pieces.length).toBeGreaterThan(3);
    const letters = (found: readonly number[]): number[] =>
      found.filter((height) => height > heights(',')[0]! + 0.001);
    close(letters(await steps(pipeline, { input })), letters(await steps(whole, { input })));
  });
});

describe('other models of the kind', () => {
  it('may call their input tokens', async () => {
    close(await steps(await load({ ids: 'tokens' }), { input: 'bee' }), heights('bˈi'));
  });

  it('may have one speed only', async () => {
    const pipeline = await load({ hasSpeed: false });
    close(await steps(pipeline, { input: 'bee' }), heights('bˈi'));
    expect(await errorOf(pipeline, { speed: 1.5 })).toMatchObject({
      code: 'unsupported_feature',
      param: 'speed',
    });
  });

  it('may know fewer phonemes', async () => {
    const { ˈ: _stress, ...vocab } = vocabulary;
    close(await steps(await load({ config: { vocab } }), { input: 'bee' }), heights('bi'));
  });

  it('are read by eSpeak NG where that is asked for', async () => {
    const pipeline = await load({}, { phonemizer: 'espeak' });
    close(await steps(pipeline, { input: 'bee' }), heights('bˈi'));
    const preferring = await load({ config: { vocab: vocabulary, phonemizer: 'espeak' } });
    // One of the words that the dictionary lacks.
    expect(await steps(preferring, { input: 'Kubernetes' })).not.toEqual(
      await steps(await load(), { input: 'Kubernetes' }),
    );
  });

  it.each<[string, SpeakerFolderOptions, Parameters<typeof load>[1], RegExp]>([
    ['no vocabulary', { config: {} }, {}, /vocab/],
    ['an empty vocabulary', { config: { vocab: {} } }, {}, /no phonemes/],
    [
      'no voices',
      { voices: {}, config: { model_type: 'style_text_to_speech_2', vocab: vocabulary } },
      {},
      /\.bin/,
    ],
    [
      'a limit that is none',
      { config: { vocab: vocabulary, max_position_embeddings: 'x' } },
      {},
      /max_position_embeddings/,
    ],
    ['an unknown input', { ids: 'images' }, {}, /no input input_ids or tokens, only images/],
  ])('are refused with %s', async (_title, options, more, message) => {
    const error = await load(options, more).then(
      () => expect.fail('no error'),
      (reason: unknown) => reason,
    );
    expect(InferenceError.isInstance(error) && error.code).toBe('invalid_request');
    expect((error as Error).message).toMatch(message);
  });

  it('are refused when they ask for a voice that is no table', async () => {
    const pipeline = await load({ voices: { af_heart: new Uint8Array(1000) } });
    expect((await errorOf(pipeline, {})).message).toMatch(
      /expected rows of 256 float32 numbers, got 1000 bytes/,
    );
  });
});
