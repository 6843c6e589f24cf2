import type { ChatMessage, ChatUsage, Inference, RerankResult } from '../../index.ts';
import { parseInteger, UsageError } from '../options.ts';
import { readImageLoad, type BenchValues, type ImageLoad } from './bench-options.ts';
import { findWordCount, writeWords } from './prompts.ts';
import { drawPicture, readSample, recordSpeech, spokenText } from './sample-files.ts';
import { speeds, sum, times, type Measurement } from './load.ts';

export type Messages = readonly ChatMessage[];

/** The measured part of an inference: detections and rankings aren't examined. */
export type MeasuredInference = Pick<Inference, 'chat' | 'embed' | 'image' | 'speak' | 'transcribe'> & {
  detect(...call: Parameters<Inference['detect']>): Promise<object>;
  rerank(...call: Parameters<Inference['rerank']>): Promise<Pick<RerankResult, 'promptTokens'>>;
};

/** The subject of a measurement: a local model, or one at an address. */
export interface Subject {
  readonly inference: MeasuredInference;
  /** Its id there. */
  readonly model: string;
  readonly category: string;
  /** Tokens; 0 if unknown. */
  readonly contextLength?: number | undefined;
  close(): Promise<void>;
}

export interface Sample {
  readonly totalMs: number;
  /** Until the first piece of the answer; `totalMs` if it arrives as a whole. */
  readonly firstMs: number;
  /** Until each piece. */
  readonly piecesMs: readonly number[];
  /** As reported by the answer, and the seconds of audio spoken or heard. */
  readonly usage: ChatUsage & { readonly durationSeconds?: number };
}

/** The requests to a model, and their measurement. */
export interface Workload {
  /** In words, as known in advance: `answers of at most 128 tokens`. */
  readonly description: string;
  /** Prepares the requests, and warms up the model: the first run is the slowest. */
  prepare(signal: AbortSignal): Promise<void>;
  send(index: number, signal: AbortSignal): Promise<Sample>;
  measure(samples: readonly Sample[], elapsedMs: number): readonly Measurement[];
}

interface Asked {
  readonly size: ImageLoad;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** A picture or a recording. */
  readonly file?: Uint8Array | undefined;
}

interface Request extends Asked {
  readonly index: number;
  /** The file, encoded before the measurement. */
  readonly base64: string | undefined;
  readonly texts: readonly string[];
  /** A conversation that replaces the texts. */
  readonly messages?: Messages | undefined;
}

/** The requests to a category, and their measurement. */
interface Kind {
  /** Default tokens per text. */
  readonly promptTokens?: number;
  /** Texts per request; default 1. */
  readonly textCount?: number;
  readonly makeFile?: (signal: AbortSignal) => Promise<Uint8Array>;
  describe(asked: Asked): string;
  ask(
    subject: Subject,
    request: Request,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly promptTokens?: number }> | AsyncIterable<{ readonly type: string }>;
  /** Types of the events that are pieces of the answer. */
  readonly pieces?: readonly string[];
  readonly quantities: readonly Quantity[];
}

const textsPerRequest = 32;

/**
 * A quantity, with its values per request; non-finite values are skipped. For a `pace`, each request has
 * `textsPerRequest` divided by its time.
 */
type Quantity = readonly [
  as: 'time' | 'speed' | 'pace' | 'rate' | 'mean',
  name: string,
  unit: string,
  valuesOf: (sample: Sample) => number | readonly number[] | undefined,
];

/** @returns neither p50 nor `overall` if no request has a value */
function summarize(
  [as, name, unit, valuesOf]: Quantity,
  samples: readonly Sample[],
  elapsedMs: number,
): Measurement {
  const values = samples.flatMap((sample) => valuesOf(sample) ?? []).filter(Number.isFinite);
  if (as === 'time') return times(name, values, unit);
  if (as === 'speed') return speeds(name, unit, values);
  const overall = sum(values) / (as === 'mean' ? samples.length : elapsedMs / 1000) || undefined;
  if (as !== 'pace') return { name, unit, overall };
  const paces = samples.map(({ totalMs }) => textsPerRequest / (totalMs / 1000));
  return { ...speeds(name, unit, paces), overall };
}

const totalOf = ({ totalMs }: Sample): number => totalMs;

/** Milliseconds between the tokens of an answer. */
export function perToken({ usage, firstMs, totalMs }: Omit<Sample, 'piecesMs'>): number {
  return usage.completionTokens > 1 ? (totalMs - firstMs) / (usage.completionTokens - 1) : Number.NaN;
}

const ofChat: readonly Quantity[] = [
  ['time', 'time to first token', 'ms', ({ firstMs }) => firstMs],
  ['speed', 'per stream', 'tokens/s', (sample) => 1000 / perToken(sample)],
  ['rate', 'all streams', 'tokens/s', ({ usage }) => usage.completionTokens],
  ['time', 'per token', 'ms', perToken],
  ['time', 'between pieces', 'ms', ({ piecesMs }) => piecesMs.slice(1).map((ms, at) => ms - piecesMs[at]!)],
  ['time', 'end to end', 'ms', totalOf],
  ['rate', 'requests', 'per second', () => 1],
  [
    'speed',
    'reading the prompt',
    'tokens/s',
    ({ usage, firstMs }) => (usage.promptTokens - usage.cachedTokens || Number.NaN) / (firstMs / 1000),
  ],
  ['mean', 'prompt', 'tokens', ({ usage }) => usage.promptTokens],
  ['mean', 'answer', 'tokens', ({ usage }) => usage.completionTokens],
  ['time', 'over the bus per row and step', 'B', ({ usage }) => usage.busBytesPerStep],
];

const ofTexts = (noun: string): readonly Quantity[] => [
  ['time', 'request', 'ms', totalOf],
  ['pace', `${noun}s`, `${noun}s/s`, () => textsPerRequest],
  ['rate', 'tokens', 'tokens/s', ({ usage }) => usage.promptTokens],
  ['mean', noun, 'tokens', ({ usage }) => usage.promptTokens / textsPerRequest],
];

const ofPictures: readonly Quantity[] = [
  ['time', 'picture', 'ms', totalOf],
  ['rate', 'pictures', 'runs/s', () => 1],
  ['rate', 'steps', 'steps/s', ({ piecesMs }) => piecesMs.length],
];

/** @param first the name of the first piece */
const ofAudio = (first: string): readonly Quantity[] => [
  ['time', first, 'ms', ({ piecesMs }) => piecesMs[0]],
  ['time', 'whole', 'ms', totalOf],
  ['rate', 'runs', 'runs/s', () => 1],
  ['time', 'real-time factor', 's per s of audio', (one) => one.totalMs / 1000 / one.usage.durationSeconds!],
  ['rate', 'audio', 's of audio per s', ({ usage }) => usage.durationSeconds],
];

const prompt = 'a red circle above a blue square';

const kinds: Readonly<Record<string, Kind>> = {
  chat: {
    promptTokens: 128,
    describe: ({ maxTokens }) => `answers of at most ${maxTokens} tokens`,
    ask({ inference, model }, { texts, messages, maxTokens }, options) {
      const asked = messages ?? [{ role: 'user' as const, content: texts[0]! }];
      return inference.chat({ model, messages: [...asked], maxTokens }, options);
    },
    pieces: ['text-delta', 'reasoning-delta', 'tool-call-start'],
    quantities: ofChat,
  },
  embedding: textKind('text', 32, ({ inference, model }, { texts }, options) =>
    inference.embed({ model, input: texts }, options),
  ),
  // The query's tokens count in each pair.
  rerank: textKind('document', 128, ({ inference, model }, { texts }, options) =>
    inference.rerank({ model, query: prompt, documents: texts }, options),
  ),
  detection: {
    makeFile: drawPicture,
    describe: () => 'the same picture in each',
    ask: ({ inference, model }, { base64 }, options) => inference.detect({ model, image: base64! }, options),
    quantities: ofPictures,
  },
  image: {
    describe({ size: { width, height, numInferenceSteps: steps } }) {
      const size = width === undefined ? 'pictures of the default size' : `pictures of ${width} × ${height}`;
      return steps === undefined ? size : `${size}, ${steps} steps`;
    },
    ask: ({ inference, model }, { index: seed, size }, options) =>
      inference.image({ model, prompt, seed, ...size }, options),
    pieces: ['image-step'],
    quantities: ofPictures,
  },
  speech: {
    describe: () => `a text of ${spokenText.length} characters in each`,
    ask: ({ inference, model }, _request, options) => inference.speak({ model, input: spokenText }, options),
    pieces: ['audio'],
    quantities: ofAudio('first audio'),
  },
  transcription: {
    makeFile: recordSpeech,
    describe: () => 'the same recording in each',
    ask: ({ inference, model }, { file }, options) => inference.transcribe({ model, audio: file! }, options),
    pieces: ['segment'],
    quantities: ofAudio('first segment'),
  },
};

/** Different from the measured indexes, so that no cache helps. */
const warmUpIndex = 1_000_000;
const warmUpTokens = 8;

/** Selects the requests for a model of a category. @param prompts used in turn instead of generated texts */
export async function chooseWorkload(
  subject: Subject,
  values: BenchValues,
  signal: AbortSignal,
  prompts?: readonly Messages[],
): Promise<Workload> {
  const kind = kinds[subject.category];
  if (!kind) throw new UsageError(`There is no workload for models of the category ${subject.category}.`);
  const { textCount = 1, pieces = [] } = kind;
  const asked: Asked = {
    size: readImageLoad(values),
    promptTokens: readTokens('prompt-tokens', kind.promptTokens ?? 0, values, subject),
    maxTokens: readTokens('max-tokens', 128, values, subject),
    file: values.file === undefined ? await kind.makeFile?.(signal) : await readSample(values.file),
  };
  const base64 = asked.file && Buffer.from(asked.file).toString('base64');
  let wordCount = 1;
  const send = (index: number, options: { readonly signal: AbortSignal }, most: Partial<Request> = {}) => {
    const texts = Array.from({ length: textCount }, (_, text) =>
      writeWords(index * textCount + text, wordCount),
    );
    const messages = prompts?.[index % prompts.length];
    const request = { ...asked, index, base64, texts, messages, ...most };
    return timeRun(() => kind.ask(subject, request, options), pieces);
  };
  return {
    description: kind.describe(asked),
    async prepare(until) {
      const options = { signal: until };
      const countTokens = async (text: string): Promise<number> => {
        const { usage } = await send(0, options, { texts: [text], maxTokens: 1 });
        return usage.promptTokens;
      };
      if (kind.promptTokens !== undefined && !prompts)
        wordCount = await findWordCount(asked.promptTokens, countTokens);
      await send(warmUpIndex, options, { maxTokens: Math.min(warmUpTokens, asked.maxTokens) });
    },
    send: (index, until) => send(index, { signal: until }),
    measure(samples, elapsedMs) {
      const measured = kind.quantities.map((quantity) => summarize(quantity, samples, elapsedMs));
      return measured.filter(({ overall, p50 }) => (overall ?? p50) !== undefined);
    },
  };
}

/** The given length, or the default limited by the context. */
function readTokens(
  name: 'prompt-tokens' | 'max-tokens',
  byDefault: number,
  values: BenchValues,
  { contextLength }: Subject,
): number {
  const given = values[name];
  const most = contextLength || Infinity;
  if (given === undefined) return Math.min(byDefault, Math.floor(most / 4));
  const tokens = parseInteger(`--${name}`, given, { min: 1 });
  if (tokens < most) return tokens;
  throw new UsageError(
    `--${name}: expected fewer than the ${contextLength} tokens of the model's context, got ${tokens}`,
  );
}

const ends: ReadonlySet<string> = new Set(['usage', 'speech-end', 'transcription-end']);

/** Measures a run, and the events that are pieces of its answer. */
async function timeRun(run: () => ReturnType<Kind['ask']>, pieces: readonly string[]): Promise<Sample> {
  const startedAt = performance.now();
  const piecesMs: number[] = [];
  let answer: object = {};
  const running = run();
  if (Symbol.asyncIterator in running) {
    for await (const event of running) {
      if (pieces.includes(event.type)) piecesMs.push(performance.now() - startedAt);
      if (ends.has(event.type)) answer = event;
    }
  } else {
    const { promptTokens = 0 } = await running;
    answer = { promptTokens };
  }
  const totalMs = performance.now() - startedAt;
  // Servers without usage reports send one token at a time.
  const counted = { promptTokens: 0, cachedTokens: 0, completionTokens: piecesMs.length, reasoningTokens: 0 };
  return { totalMs, firstMs: piecesMs[0] ?? totalMs, piecesMs, usage: { ...counted, ...answer } };
}

/** Requests of several texts each, all different. */
function textKind(noun: string, promptTokens: number, ask: Kind['ask']): Kind {
  return {
    promptTokens,
    textCount: textsPerRequest,
    describe: (asked) => `${textsPerRequest} ${noun}s in each, of about ${asked.promptTokens} tokens`,
    ask,
    quantities: ofTexts(noun),
  };
}
