import { describe, expect, test } from 'vitest';
import * as audio from '../../src/entries/audio.ts';
import * as chat from '../../src/entries/chat.ts';
import * as diffusion from '../../src/entries/diffusion.ts';
import * as embedding from '../../src/entries/embedding.ts';
import * as sampling from '../../src/entries/sampling.ts';
import * as tokenization from '../../src/entries/tokenization.ts';
import * as vision from '../../src/entries/vision.ts';

type Arguments = readonly unknown[];

const f32 = (...values: number[]): Float32Array => Float32Array.from(values);
const size = { width: 2, height: 2 };
const boxes = (): Float32Array => f32(0, 0, 9, 9, 0, 0, 9, 8);
const candidates = () => ({ boxes: boxes(), scores: f32(0.5, 0.9), classIds: Int32Array.of(3, 3), count: 2 });
const frame = { startId: 1, endId: 2, padId: 0, windowLength: 4 };
const format = { channelOrder: 'rgb', scale: 1, mean: [0, 0, 0], deviation: [1, 1, 1], padding: 0 };
const unsized = { classCount: 2, confidence: 0.25 };
const options = { ...unsized, input: { width: 64, height: 64 } };
const rows = (...dims: number[]) => ({ data: new Float32Array(dims.reduce((a, b) => a * b, 1)), dims });
const pair = { logits: rows(1, 2, 3), boxes: rows(1, 2, 4) };
const drawn = () => sampling.candidatesFrom([1, 2, 3]);
const rates = { fromHz: 16_000, toHz: 8000 };

/** Arguments that a function takes; each is then replaced by wrong ones, in depth. */
const calls: Readonly<Record<string, Readonly<Record<string, () => Arguments>>>> = {
  vision: {
    centersToCornersInto: () => [new Float32Array(8), boxes()],
    cornersToCentersInto: () => [new Float32Array(8), boxes()],
    createCandidates: () => [2],
    selectClasses: () => ['dog', ['cat', 'dog']],
    parseClassNames: () => ['["a"]'],
    fitEdges: () => [size, { shortest: 2, longest: 4, multiple: 2 }],
    detectImageFormat: () => [Uint8Array.of(0xff, 0xd8, 0xff)],
    toInputTensorInto: () => [
      new Float32Array(12),
      new Uint8Array(12),
      { left: 0, top: 0, ...size },
      size,
      format,
    ],
    intersectionOverUnion: () => [boxes(), 0, 1],
    letterbox: () => [size, size, { align: 'start' }],
    stretch: () => [size],
    fittingInput: () => [size, { longerSide: 4, stride: 2 }],
    toImageBox: () => [{ x1: 0, y1: 0, x2: 1, y2: 1 }, { left: 0, top: 0, ...size }, size],
    nms: () => [boxes(), f32(0.5, 0.9), { iouThreshold: 0.5, maxKept: 1, maxCandidates: 2, count: 2 }],
    nmsPerClass: () => [boxes(), f32(0.5, 0.9), Int32Array.of(1, 1), { iouThreshold: 0.5 }],
    rankScores: () => [f32(0.5, 0.9), { count: 2, limit: 1 }],
    selectDetections: () => [candidates(), { iouThreshold: 0.5, maxDetections: 3 }],
    gridStrides: () => [84, { width: 64, height: 64 }],
    decodeYoloV8Into: () => [candidates(), rows(1, 6, 1), unsized],
    decodeYolo26Into: () => [candidates(), rows(1, 6, 1), unsized],
    decodeYoloV5Into: () => [candidates(), rows(1, 3, 7), unsized],
    decodeYoloXInto: () => [candidates(), rows(1, 84, 7), options],
    decodeFastestDetInto: () => [candidates(), rows(1, 7, 2, 2), options],
    decodeEndToEndInto: () => [candidates(), rows(1, 2, 6), unsized],
    decodeNmsRowsInto: () => [candidates(), rows(2, 7), unsized],
    decodeDetrInto: () => [candidates(), pair, options],
    decodeDetrSoftmaxInto: () => [candidates(), pair, options],
    decodeCustomInto: () => [
      candidates(),
      { boxes: rows(1, 4) },
      { like: 'yolov8', decode: () => [] },
      options,
    ],
    decodeGroundedInto: () => [
      candidates(),
      pair,
      { spans: [[0, 1]], confidence: 0.25, input: { width: 64, height: 64 } },
    ],
    decodeNmsInto: () => [
      candidates(),
      { boxes: rows(1, 2, 4), scores: rows(1, 2), labels: rows(1, 2), count: rows(1) },
      unsized,
    ],
    decodeYoloXMapsInto: () => [candidates(), [rows(1, 7, 2, 2)], options],
    findHead: () => [
      {
        outputs: [{ name: 'output0', dims: [1, 84, 8400] }],
        input: { width: 640, height: 640 },
        head: 'yolov8',
      },
    ],
    toClassNames: () => [[[0, 'cat']]],
  },
  embedding: {
    decodeFloat32: () => ['AACAPw=='],
    encodeFloat32: () => [f32(1)],
    assertDimensions: () => [2, { full: 4, shorter: [2] }],
    truncateVector: () => [f32(1, 2), 1],
    normalizeInPlace: () => [f32(3, 4)],
    pool: () => [f32(1, 2, 3, 4), { row: 0, length: 2, size: 2 }, { start: 0, end: 2 }, 'mean'],
    partitionByLength: () => [[3, 5], { maxTokens: 8, maxRows: 2, batchCost: 1 }],
  },
  diffusion: {
    createGaussianNoise: () => [1],
    guidanceEmbedding: () => [2, 8],
    guideInPlace: () => [f32(1), f32(2), 3],
    scaleLatents: () => [f32(1, 2), { factor: 1, shift: 0 }],
    shrinkGrid: () => [f32(1, 2, 3, 4), size, { width: 1, height: 1 }],
    toRgb: () => [f32(0, 0, 0)],
    countWindows: () => [[1, 2], frame],
    toWindows: () => [[1, 2], frame, 1],
    planTiles: () => [8, { max: 4, overlap: 1 }],
    addTile: () => [
      new Float32Array(4),
      f32(1, 2),
      { left: 0, top: 1, across: f32(1, 1), down: f32(1) },
      size,
    ],
    cutTile: () => [f32(1, 2, 3, 4), { left: 0, top: 1, width: 2, height: 1 }, size],
    tileWeights: () => [{ length: 4, size: 3, starts: [0, 1] }, 1],
    createScheduler: () => [
      { _class_name: 'DDIMScheduler', beta_start: 0.001, clip_sample: true },
      { steps: 1, imageTokens: 4 },
    ],
    describeImage: () => [
      {
        prompt: 'a',
        negativePrompt: '',
        steps: 1,
        scheduler: 'DDIMScheduler',
        guidanceScale: 2,
        seed: 1,
        ...size,
        model: 'm',
      },
    ],
    addPngText: () => [new Uint8Array(64), 'key', 'text'],
  },
  sampling: {
    createCandidates: () => [3],
    candidatesFrom: () => [[1, 2], { as: 'logits' }],
    drawToken: () => [drawn(), 0.5],
    applyTemperature: () => [drawn(), 0.5],
    applyMinP: () => [drawn(), 0.1],
    applyTopP: () => [drawn(), 0.9],
    applyTopK: () => [drawn(), 2],
    applyTypicalP: () => [drawn(), 0.9],
    applyTailFree: () => [drawn(), 0.9],
    applyTopNSigma: () => [drawn(), 1],
    applyXtc: () => [drawn(), { xtcThreshold: 0.1, xtcProbability: 0.5 }, 0.3],
    applyPenalties: () => [drawn(), [1], { repeatPenalty: 1.1 }],
    applyDry: () => [drawn(), [1], { dryMultiplier: 1 }],
    applyLogitBias: () => [drawn(), [[1, 2]]],
    applyDynamicTemperature: () => [drawn(), { temperature: 1, dynatempRange: 0.5, dynatempExponent: 1 }],
    createMirostat: () => [{ mirostatMode: 1, mirostatTau: 5, mirostatEta: 0.1, vocabularySize: 8 }],
    createRng: () => [1],
    candidatesInto: () => [drawn(), [1, 2], Uint32Array.of(3)],
    createBreakerFinder: () => [{ size: 1, textOf: () => 'a', encode: () => [] }],
    createSampler: () => [
      { temperature: 0.5, logitBias: new Map(), dryBreakers: new Map() },
      { vocabularySize: 3, seed: 1, isWord: () => true },
    ],
    probabilities: () => [drawn()],
    logProbabilitiesOf: () => [[1, 2], 0, { top: 1 }],
  },
  tokenization: {
    createDetokenizer: () => [() => ''],
    createStopMatcher: () => [['a']],
    createTokenizer: () => [
      {
        model: { type: 'WordLevel', vocab: { '?': 0, a: 1 }, unk_token: '?' },
        pre_tokenizer: { type: 'Whitespace' },
        added_tokens: [{ id: 2, content: '<s>', special: true }],
      },
      { bos_token: '<s>' },
    ],
  },
  chat: {
    createAnswerParser: () => [
      {
        stop: ['a'],
        includeStop: true,
        reasoningSplitter: { push: () => [], flush: () => [] },
        toolCallParser: { push: () => [], flush: () => [] },
        isCallsAlone: true,
        createToolCallId: () => 'a',
      },
    ],
    createHarmonySplitter: () => [],
    createReasoningSplitter: () => [
      { open: '<a>', close: '</a>', startsOpen: false, frame: { open: '<b>', close: '</b>' } },
      { openers: ['<c>'], createParser: () => ({ push: () => [], flush: () => [] }) },
    ],
    detectFormats: () => [
      {
        template: '',
        hasToken: () => false,
        toolCallFormat: 'hermes',
        reasoningFormat: 'think',
        render: () => undefined,
        thinkingSwitch: 'a',
      },
    ],
    bestFittingTool: () => [[{ name: 'a', description: 'b', parameters: {} }], 'c'],
  },
  audio: {
    downmix: () => [[f32(1), f32(2)]],
    resample: () => [f32(1, 2), rates],
    createResampler: () => [rates],
    findVoiceActivity: () => [f32(1, 2), { sampleRateHz: 16_000 }],
    createVoiceActivityDetector: () => [{ sampleRateHz: 16_000 }],
    languageName: () => ['de'],
    arpabetToPhonemes: () => ['HH AH0'],
    splitSentences: () => ['A. B.'],
    normalizeEnglish: () => ['1'],
    readMarkup: () => ['<b>a</b>'],
    phonemizeEnglish: () => ['a'],
    applyTimestampRules: () => [
      f32(1, 2, 3, 4),
      [0],
      { endOfText: 0, noTimestamps: 1, timestampBegin: 2, maxInitialPosition: 1 },
    ],
    assignSpeakers: () => [
      [
        {
          text: 'a',
          startSeconds: 0,
          endSeconds: 1,
          words: [{ word: 'a', startSeconds: 0, endSeconds: 1 }],
        },
      ],
      [{ speaker: 0, startSeconds: 0, endSeconds: 1 }],
    ],
    beginTransducerSearch: () => [{ frames: 2, vocabularySize: 2, blank: 1, maxTokensPerFrame: 1 }],
    createKaldiFeatures: () => [{ melBins: 8 }],
    createLogMel: () => [
      { melBins: 8, chunkSamples: 800, sampleRateHz: 16_000, fftSize: 400, hopLength: 160 },
    ],
    createNemoFeatures: () => [{ melBins: 8 }],
    decodeCtc: () => [f32(1, 2), { frames: 1, vocabularySize: 2, blank: 0 }],
    letterToSound: () => [],
    splitWindow: () => [[1, 2], { timestampBegin: 100, positions: 500 }],
    splitWords: () => [[1, 2], () => 'a', { spaced: true }],
    toSrt: () => [[{ startSeconds: 0, endSeconds: 1, text: 'a' }]],
    toVtt: () => [[{ startSeconds: 0, endSeconds: 1, text: 'a' }]],
    tokenTimes: () => [[f32(1, 0, 0, 1)], { rows: 2, columns: 2, used: 2, start: 0, end: 2 }],
    toSeconds: () => [50_414, { timestampBegin: 50_364 }],
  },
};
/**
 * Wrong values that are meant to be taken: NaN counts as −Infinity, candidates are emptied before they are filled, a null in a
 * model's file or a parameter is its default, and what doesn't concern the function stays unread.
 */
const taken = new RegExp(
  [
    String.raw`^(candidatesFrom|candidatesInto|logProbabilitiesOf|partitionByLength|applyDry|applyPenalties)\.[01]\.\d = NaN$`,
    String.raw`^decode\w+\.0\.count = `,
    String.raw`^candidatesInto\.2 = undefined$`,
    String.raw`^toClassNames\.0\.0\.0 = NaN$`,
    String.raw`^(createScheduler\.0\.\w+|createSampler\.0\.temperature) = null$`,
    String.raw`^createTokenizer\.(0\.(model\.type|pre_tokenizer|added_tokens|added_tokens\.0\.special)|1|1\.bos_token) = null$`,
    String.raw`^createTokenizer\.0\.added_tokens\.0\.id = `,
  ].join('|'),
);
const entries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  audio,
  chat,
  diffusion,
  embedding,
  sampling,
  tokenization,
  vision,
};

/** Values of a wrong type or out of every domain, by what they replace. */
function wrongFor(value: unknown): readonly unknown[] {
  if (ArrayBuffer.isView(value)) return ['x', null, undefined, [1]];
  if (Array.isArray(value)) return ['x', null, 5];
  if (typeof value === 'number') return ['1', NaN, null];
  if (typeof value === 'string') return [5, null];
  if (typeof value === 'function') return ['x', null];
  return ['x', null];
}

/** The same arguments with one of them, or a field of one, replaced by a wrong value. */
function* mutations(
  value: unknown,
  path = '',
): Generator<readonly [path: string, wrong: unknown, replaced: unknown]> {
  for (const wrong of wrongFor(value)) if (path !== '') yield [path, wrong, wrong];
  const isPlain = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
  if (!isPlain) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const [at, wrong, replaced] of mutations(inner, `${path}.${key}`)) {
      const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
      (copy as Record<string, unknown>)[key] = replaced;
      yield [at, wrong, copy];
    }
  }
}

describe.each(Object.entries(calls))('%s', (entry, functions) => {
  test.each(Object.keys(functions))('%s refuses wrong arguments', (name) => {
    const call = entries[entry]![name] as (...values: Arguments) => unknown;
    expect(() => call(...functions[name]!())).not.toThrow();
    const wrongly: string[] = [];
    for (const [path, wrong, values] of mutations(functions[name]!())) {
      try {
        call(...(values as Arguments));
        wrongly.push(`${path} = ${String(wrong)}`);
      } catch (error) {
        // An accident of JavaScript names nothing.
        if (!/^[\w.[\]"?]+: expected /.test((error as Error).message))
          wrongly.push(`${path} = ${String(wrong)}: ${(error as Error).message}`);
      }
    }
    expect(wrongly.filter((one) => !taken.test(name + one))).toEqual([]);
  });
});

test.each(Object.entries(entries))('the table has every function of %s', (entry, exports) => {
  const functions = Object.keys(exports).filter((name) => typeof exports[name] === 'function');
  expect(functions.filter((name) => !(name in calls[entry]!))).toEqual([]);
});

test.each<[string, () => unknown]>([
  ['a score for each box', () => vision.nms(f32(0, 0, 1, 1), f32(0.1, 0.2, 0.3), { iouThreshold: 0.5 })],
  ['a threshold', () => vision.nms(boxes(), f32(0.5, 0.9), {} as vision.NmsOptions)],
  ['a threshold of at most 1', () => vision.nms(boxes(), f32(0.5, 0.9), { iouThreshold: 50 })],
  ['a known alignment', () => vision.letterbox(size, size, { align: 'middle' as 'start' })],
  ['a width', () => vision.letterbox({ width: 0, height: 2 }, size, { align: 'start' })],
  ['a size that is no list', () => vision.letterbox([10, 5] as never, size, { align: 'start' })],
  [
    'a known pooling',
    () =>
      embedding.pool(f32(1, 2), { row: 0, length: 1, size: 2 }, { start: 0, end: 1 }, 'average' as 'mean'),
  ],
  [
    'a row that is there',
    () => embedding.pool(f32(1, 2), { row: 1, length: 1, size: 2 }, { start: 0, end: 1 }, 'mean'),
  ],
  ['a box that is there', () => vision.intersectionOverUnion(boxes(), 0, 2)],
  ['vectors of one length', () => diffusion.guideInPlace(f32(1, 2), f32(1), 2)],
])('%s is asked for', (_, call) => {
  expect(call).toThrow(/^[\w.[\]]+: expected /);
});
