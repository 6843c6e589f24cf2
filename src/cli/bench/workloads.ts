import type { ChatMessage, ChatUsage, Inference, RerankResult } from '../../index.ts';
import { parseInteger, UsageError } from '../options.ts';
import { readImageLoad, type BenchValues, type ImageLoad } from './bench-options.ts';
import { findWordCount, writeWords } from './prompts.ts';
import { drawPicture, readSample, recordSpeech, spokenText } from './sample-files.ts';
import { rate, speeds, sum, times, type Measurement } from './statistics.ts';

export type Messages = readonly ChatMessage[];

/** As much of an inference as is measured: nobody looks at what was found in a picture, or at an order. */
export type MeasuredInference = Pick<Inference, 'chat' | 'embed' | 'image' | 'speak' | 'transcribe'> & {
  detect(...call: Parameters<Inference['detect']>): Promise<object>;
  rerank(...call: Parameters<Inference['rerank']>): Promise<Pick<RerankResult, 'promptTokens'>>;
};

/** The subject of a measurement: a model of this machine, or one at an address. */
export interface Subject {
  readonly inference: MeasuredInference;
  /** Its id there. */
  readonly model: string;
  readonly category: string;
  /** Tokens; 0 if unknown. */
  readonly contextLength: number;
  close(): Promise<void>;
}

/** The measurement of one request. */
export interface Sample {
  readonly totalMs: number;
  /** Until the first piece of the answer; `totalMs` where it comes as a whole. */
  readonly firstMs: number;
  /** Until each piece. */
  readonly piecesMs: readonly number[];
  /** As the answer tells it, and the seconds of audio that were spoken or heard. */
  readonly usage: ChatUsage & { readonly durationSeconds?: number };
}

/** The requests to a model, and their measurement. */
export interface Workload {
  /** In words, as far as it is known before: `answers of at most 128 tokens`. */
  readonly description: string;
  /** Finds out what it has to, and runs the model once: the first run is slower than all others. */
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
  /** The file, written before the time runs. */
  readonly base64: string | undefined;
  readonly texts: readonly string[];
  /** A conversation in place of the texts. */
  readonly messages?: Messages | undefined;
}

/** The requests to a category, and their measurement. */
interface Kind {
  /** Tokens of each text, by default. */
  readonly promptTokens?: number;
  /** Texts of each request; default 1. */
  readonly textCount?: number;
  /** Makes the file that is sent by default. */
  readonly makeFile?: (signal: AbortSignal) => Promise<Uint8Array>;
  describe(asked: Asked): string;
  ask(
    subject: Subject,
    request: Request,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly promptTokens?: number }> | AsyncIterable<{ readonly type: string }>;
  /** Types of the events that are pieces of the answer. */
  readonly pieces?: readonly string[];
  readonly measure: Workload['measure'];
}

const textsPerRequest = 32;
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
    measure: measureChat,
  },
  embedding: textKind('text', 32, ({ inference, model }, { texts }, options) =>
    inference.embed({ model, input: texts }, options),
  ),
  // The tokens of the query count in each pair.
  rerank: textKind('document', 128, ({ inference, model }, { texts }, options) =>
    inference.rerank({ model, query: prompt, documents: texts }, options),
  ),
  detection: {
    makeFile: drawPicture,
    describe: () => 'the same picture in each',
    ask: ({ inference, model }, { base64 }, options) => inference.detect({ model, image: base64! }, options),
    measure: measurePictures,
  },
  image: {
    describe({ size: { width, height, numInferenceSteps: steps } }) {
      const size = width === undefined ? 'pictures of the default size' : `pictures of ${width} × ${height}`;
      return steps === undefined ? size : `${size}, ${steps} steps`;
    },
    ask: ({ inference, model }, { index: seed, size }, options) =>
      inference.image({ model, prompt, seed, ...size }, options),
    pieces: ['image-step'],
    measure: measurePictures,
  },
  speech: {
    describe: () => `a text of ${spokenText.length} characters in each`,
    ask: ({ inference, model }, _request, options) => inference.speak({ model, input: spokenText }, options),
    pieces: ['audio'],
    measure: measureAudio('first audio'),
  },
  transcription: {
    makeFile: recordSpeech,
    describe: () => 'the same recording in each',
    ask: ({ inference, model }, { file }, options) => inference.transcribe({ model, audio: file! }, options),
    pieces: ['segment'],
    measure: measureAudio('first segment'),
  },
};

/** Not the index of a request that is measured: nothing that it leaves in a cache helps one. */
const warmUpIndex = 1_000_000;
const warmUpTokens = 8;

/** Chooses the requests for a model of a category. @param prompts in place of texts, taken in turn */
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
    measure: kind.measure,
  };
}

/** The given length, or the default as far as it fits into the context. */
function readTokens(
  name: 'prompt-tokens' | 'max-tokens',
  byDefault: number,
  values: BenchValues,
  { contextLength }: Subject,
): number {
  const given = values[name];
  const most = contextLength > 0 ? contextLength : Infinity;
  if (given === undefined) return Math.min(byDefault, Math.floor(most / 4));
  const tokens = parseInteger(`--${name}`, given, { min: 1 });
  if (tokens < most) return tokens;
  throw new UsageError(
    `--${name}: expected fewer than the ${contextLength} tokens of the model's context, got ${tokens}`,
  );
}

const ends: ReadonlySet<string> = new Set(['usage', 'speech-end', 'transcription-end']);

/** Times a run, and the events that are pieces of its answer. */
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
  // Servers that report no usage send a token at a time.
  const counted = { promptTokens: 0, cachedTokens: 0, completionTokens: piecesMs.length, reasoningTokens: 0 };
  return { totalMs, firstMs: piecesMs[0] ?? totalMs, piecesMs, usage: { ...counted, ...answer } };
}

/** Requests of several texts each, no two alike. */
function textKind(noun: string, promptTokens: number, ask: Kind['ask']): Kind {
  const nouns = `${noun}s`;
  return {
    promptTokens,
    textCount: textsPerRequest,
    describe: (asked) => `${textsPerRequest} ${nouns} in each, of about ${asked.promptTokens} tokens`,
    ask,
    measure(samples, elapsedMs) {
      const tokens = sum(samples.map(({ usage }) => usage.promptTokens));
      const texts = samples.length * textsPerRequest;
      const textSpeeds = samples.map(({ totalMs }) => textsPerRequest / (totalMs / 1000));
      return [
        times('request', samples.map(totalOf)),
        speeds(nouns, `${nouns}/s`, textSpeeds, texts / (elapsedMs / 1000)),
        rate('tokens', 'tokens/s', tokens, elapsedMs),
        { name: noun, unit: 'tokens', overall: tokens / texts },
      ];
    },
  };
}

function measureChat(samples: readonly Sample[], elapsedMs: number): readonly Measurement[] {
  const answered = samples.filter(({ usage }) => usage.completionTokens > 1);
  const streamSpeeds = answered.map((sample) => 1000 / perToken(sample)).filter(Number.isFinite);
  const computed = samples.map(({ usage }) => usage.promptTokens - usage.cachedTokens);
  const promptSpeeds = computed.map((tokens, index) => tokens / (samples[index]!.firstMs / 1000));
  const completion = sum(samples.map(({ usage }) => usage.completionTokens));
  const prompts = sum(samples.map(({ usage }) => usage.promptTokens));
  const busBytes = samples.flatMap(({ usage }) => usage.busBytesPerStep ?? []);
  const gaps = samples.flatMap(({ piecesMs }) => piecesMs.slice(1).map((ms, index) => ms - piecesMs[index]!));
  return [
    times(
      'time to first token',
      samples.map(({ firstMs }) => firstMs),
    ),
    speeds('per stream', 'tokens/s', streamSpeeds),
    rate('all streams', 'tokens/s', completion, elapsedMs),
    times('per token', answered.map(perToken)),
    times('between pieces', gaps),
    times('end to end', samples.map(totalOf)),
    rate('requests', 'per second', samples.length, elapsedMs),
    ...(sum(computed) > 0 ? [speeds('reading the prompt', 'tokens/s', promptSpeeds)] : []),
    { name: 'prompt', unit: 'tokens', overall: prompts / samples.length },
    { name: 'answer', unit: 'tokens', overall: completion / samples.length },
    ...(busBytes.length > 0 ? [times('over the bus per row and step', busBytes, 'B')] : []),
  ];
}

/** Milliseconds between the tokens of an answer. */
export function perToken({ usage, firstMs, totalMs }: Omit<Sample, 'piecesMs'>): number {
  return (totalMs - firstMs) / (usage.completionTokens - 1);
}

function measurePictures(samples: readonly Sample[], elapsedMs: number): readonly Measurement[] {
  const steps = sum(samples.map(({ piecesMs }) => piecesMs.length));
  return [
    times('picture', samples.map(totalOf)),
    rate('pictures', 'runs/s', samples.length, elapsedMs),
    ...(steps > 0 ? [rate('steps', 'steps/s', steps, elapsedMs)] : []),
  ];
}

/** @param first the name of the first piece */
function measureAudio(first: string): Workload['measure'] {
  return (samples, elapsedMs) => {
    const seconds = samples.map(({ usage }) => usage.durationSeconds ?? 0);
    const firsts = samples.flatMap(({ piecesMs }) => piecesMs[0] ?? []);
    const factors = samples.map(({ totalMs }, index) => totalMs / 1000 / seconds[index]!);
    const { p50, p95 } = times('', factors);
    const factor = { name: 'real-time factor', unit: 's per s of audio', p50, p95 };
    return [
      ...(firsts.length > 0 ? [times(first, firsts)] : []),
      times('whole', samples.map(totalOf)),
      rate('runs', 'runs/s', samples.length, elapsedMs),
      ...(sum(seconds) > 0 ? [factor, rate('audio', 's of audio per s', sum(seconds), elapsedMs)] : []),
    ];
  };
}

function totalOf({ totalMs }: Sample): number {
  return totalMs;
}
