import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { vits } from '../../../../src/categories/speech/architectures/vits/architecture.ts';
import { createPiperSymbols } from '../../../../src/categories/speech/architectures/vits/open-vits.ts';
import { speech } from '../../../../src/categories/exports.ts';
import type { SpeechRequestInput } from '../../../../src/categories/speech/request.ts';
import type { SpeechModelInfo } from '../../../../src/categories/speech/events.ts';
import { createInference, type Inference } from '../../../../src/inference.ts';
import { chooseFiles } from '../../../../src/hub/needed-files.ts';
import { noiseHeight, piperGraph, stepHeight, stepLength, textConfig, writeVoices } from './piper-speaker.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'slashv1-vits-'));
});
afterAll(() => rm(root, { recursive: true }));

let folders = 0;
const write = (voices: Readonly<Record<string, object>>): Promise<string> =>
  writeVoices(join(root, String((folders += 1))), voices);

async function start(source: string, settings: object = {}): Promise<Inference> {
  const inference = createInference({
    models: { voice: speech({ source, ...settings }) },
    isolation: 'inline',
  });
  onTestFinished(() => inference.close());
  await inference.ready();
  return inference;
}

interface Step {
  readonly height: number;
  readonly length: number;
}

/** The runs of equal samples, those at both ends left out, which are trimmed and faded. */
async function speak(inference: Inference, request: Partial<SpeechRequestInput> = {}): Promise<Step[]> {
  const parts: Uint8Array[] = [];
  for await (const event of inference.speak({ model: 'voice', input: 'bad', format: 'pcm', ...request })) {
    if (event.type === 'speech-start') expect(event.sampleRateHz).toBe(16_000);
    if (event.type === 'audio') parts.push(event.bytes);
  }
  const bytes = Buffer.concat(parts);
  const found: { height: number; length: number }[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    const height = bytes.readInt16LE(at) / 32_767;
    const last = found.at(-1);
    if (last?.height === height) last.length += 1;
    else found.push({ height, length: 1 });
  }
  return found.filter(({ length }) => length >= stepLength / 4);
}

/** Steps of ids with a padding after each. */
const stepsOf = (ids: readonly number[], length = stepLength): Step[] =>
  ids.flatMap((id) => [
    { height: stepHeight(id), length },
    { height: 0, length },
  ]);

function expectSteps(found: readonly Step[], expected: readonly Step[]): void {
  expect(found.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
  for (const [at, { height }] of expected.entries()) expect(found[at]!.height).toBeCloseTo(height, 4);
}

const idOf = (symbol: string): number => textConfig.phoneme_id_map[symbol]![0]!;
const bad = Array.from('bad', idOf);

describe("a voice of Piper's", () => {
  it('speaks the ids of its symbols, a padding after each, between its beginning and end', async () => {
    const inference = await start(await write({ 'cy_GB-anna-low': {} }));
    const [info] = inference.models() as readonly SpeechModelInfo[];
    expect(info!.voices).toEqual([{ id: 'cy_GB-anna-low', name: 'cy_GB-anna-low', language: 'cy-GB' }]);
    const all = await speak(inference);
    // The beginning is 1 and the end is 2, both shortened by a fade.
    expectSteps(
      all.slice(1, -1),
      [{ height: 0, length: stepLength }, ...stepsOf(bad)].slice(0, all.length - 2),
    );
    expect(all.map(({ height }) => Math.round(height / stepHeight(1)))).toEqual([1, 0, 7, 0, 6, 0, 9, 0, 2]);
  });

  it('takes capitals for small letters and leaves out what it has no id of', async () => {
    const inference = await start(await write({ anna: {} }));
    expect(await speak(inference, { input: 'Bжad' })).toEqual(await speak(inference));
    await expect(speak(inference, { input: 'жя.' })).rejects.toThrow(
      'input: expected a text with something to',
    );
  });

  it('lasts as long as its length scale and the speed say', async () => {
    const inference = await start(
      await write({ anna: { inference: { ...textConfig.inference, length_scale: 2 } } }),
    );
    const inner = (steps: readonly Step[]) => new Set(steps.slice(1, -1).map(({ length }) => length));
    expect(inner(await speak(inference))).toEqual(new Set([2 * stepLength]));
    expect(inner(await speak(inference, { speed: 4 }))).toEqual(new Set([stepLength / 2]));
  });

  it('is given its noise scale', async () => {
    const inference = await start(
      await write({ anna: { inference: { ...textConfig.inference, noise_scale: 0.5 } } }),
    );
    expect((await speak(inference))[1]!.height).toBeCloseTo(noiseHeight / 2, 4);
  });

  it('has a voice for each speaker, the usual one first', async () => {
    const speakers = { num_speakers: 2, speaker_id_map: { anna: 0, ben: 1 }, default_speaker_id: 1 };
    const inference = await start(await write({ duo: speakers }));
    const [info] = inference.models() as readonly SpeechModelInfo[];
    expect(info!.voices?.map(({ id }) => id)).toEqual(['duo/ben', 'duo/anna']);
    const heights = async (request: { readonly voice?: string }) =>
      (await speak(inference, request))[2]!.height;
    expect(await heights({ voice: 'duo/anna' })).toBeCloseTo(stepHeight(bad[0]!), 4);
    expect(await heights({ voice: 'duo/ben' })).toBeCloseTo(stepHeight(bad[0]!, 1), 4);
    expect(await heights({})).toBe(await heights({ voice: 'duo/ben' }));
    await expect(speak(inference, { voice: 'duo/anna+duo/ben' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'voice',
    });
  });

  it('is one file among several', async () => {
    const folder = await write({ anna: {}, ben: { espeak: { voice: 'xx' } } });
    const inference = await start(join(folder, 'anna.onnx'));
    expect((inference.models() as readonly SpeechModelInfo[])[0]!.voices?.map(({ id }) => id)).toEqual([
      'anna',
    ]);
    await expect(start(folder)).rejects.toThrow('found anna.onnx, ben.onnx; give one of these files');
  });

  it.each([
    [
      'source: anna speaks "xx", which eSpeak NG of piper-phonemize',
      { phoneme_type: 'espeak', espeak: { voice: 'xx' } },
    ],
    ['source: phoneme_type of anna: expected espeak or text, got "pinyin"', { phoneme_type: 'pinyin' }],
    [
      'source: anna.onnx.json: phoneme_id_map: expected lists of ids, those of _, ^ and $ incl',
      { phoneme_id_map: { a: [1] } },
    ],
    [
      'source: anna.onnx.json: audio.sample_rate: expected a number above 0, got 0',
      { audio: { sample_rate: 0 } },
    ],
  ])('refused: %s', async (message, config) => {
    await expect(start(await write({ anna: config }))).rejects.toThrow(message);
  });

  it('refuses the pronunciations of a phonemizer that it has no ids for', async () => {
    const english = { phoneme_type: 'espeak', espeak: { voice: 'en-us' }, language: { code: 'en_US' } };
    const loading = start(await write({ anna: english }), { phonemizer: 'built-in' });
    await expect(loading).rejects.toMatchObject({ param: expect.stringContaining('phonemizer') });
  });

  it('refuses a graph whose speakers differ from those of the config', async () => {
    const folder = await write({ anna: {} });
    await writeFile(join(folder, 'anna.onnx'), piperGraph({ hasSpeakers: true }));
    await expect(start(folder)).rejects.toThrow('the graph has several speakers, its config differs');
  });
});

describe('the files of a VITS', () => {
  const chosen = (paths: readonly string[]) => chooseFiles('org/name', paths, { files: vits.files });

  it("are a graph and its config for one of Piper's", () => {
    const paths = ['README.md', 'tokens.txt', 'anna.onnx', 'anna.onnx.json', 'espeak-ng-data/phontab'];
    expect(chosen(paths)).toEqual(['anna.onnx.json', 'anna.onnx']);
    expect(() => chosen(['anna.onnx.json'])).toThrow('anna.onnx is missing in org/name');
  });

  it('are those of the hub otherwise', () => {
    const paths = [
      'config.json',
      'tokenizer.json',
      'vocab.json',
      'onnx/model.onnx',
      'onnx/model_quantized.onnx',
    ];
    expect(chosen(paths)).toEqual(['config.json', 'tokenizer.json', 'onnx/model.onnx']);
  });
});

it('a cluster of vowels is one symbol', () => {
  const { knows, toIds } = createPiperSymbols({
    ids: new Map(Object.entries({ _: [0], '^': [1], $: [2], a: [3], aɪ: [4, 5], b: [6] })),
    clusters: ['aɪ'],
  });
  expect(toIds('baɪɪa')).toEqual({
    ids: [1, 0, 6, 0, 4, 5, 0, 3, 0, 2],
    // The second ɪ has no id.
    places: [-1, -1, 0, 0, 1, 1, 1, 4, 4, 5],
  });
  expect(['ɪ', 'A', 'c'].map(knows)).toEqual([true, true, false]);
});
