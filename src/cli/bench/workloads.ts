import type { SpeechEvent, TranscriptionEvent } from '../../index.ts';
import { parseInteger, UsageError } from '../options.ts';
import { readImageLoad, type BenchValues } from './bench-options.ts';
import { chatWorkload, type Messages } from './chat-workload.ts';
import { findWordCount, writeWords, timeRun, type Sample, type Subject, type Workload } from './prompts.ts';
import { drawPicture, readSample, recordSpeech, spokenText } from './sample-files.ts';
import { rate, speeds, sum, times, totals } from './statistics.ts';

type Ask = (signal: AbortSignal) => AsyncIterable<SpeechEvent | TranscriptionEvent>;

const textsPerRequest = 32;

/** Chooses the requests for a model of a category. */
export async function chooseWorkload(
  subject: Subject,
  values: BenchValues,
  signal: AbortSignal,
  prompts?: readonly Messages[],
): Promise<Workload> {
  const { inference, model } = subject;
  const { file } = values;
  const tokensOf = (name: 'prompt-tokens' | 'max-tokens', byDefault: number): number =>
    readTokens(name, byDefault, values, subject);
  switch (subject.category) {
    case 'chat':
      return chatWorkload(subject, {
        promptTokens: tokensOf('prompt-tokens', 128),
        maxTokens: tokensOf('max-tokens', 128),
        prompts,
      });
    case 'embedding':
      return textWorkload('text', tokensOf('prompt-tokens', 32), (input, options) =>
        inference.embed({ model, input }, options),
      );
    case 'rerank': {
      // Its tokens count in each pair.
      const query = 'a red circle above a blue square';
      return textWorkload('document', tokensOf('prompt-tokens', 128), (documents, options) =>
        inference.rerank({ model, query, documents }, options),
      );
    }
    case 'detection':
      return detectionWorkload(subject, file === undefined ? await drawPicture() : await readSample(file));
    case 'image':
      return imageWorkload(subject, values);
    case 'speech':
      return audioWorkload(`a text of ${spokenText.length} characters in each`, 'first audio', (ended) =>
        inference.speak({ model, input: spokenText }, { signal: ended }),
      );
    case 'transcription': {
      const audio = file === undefined ? await recordSpeech(signal) : await readSample(file);
      return audioWorkload('the same recording in each', 'first segment', (ended) =>
        inference.transcribe({ model, audio }, { signal: ended }),
      );
    }
    default:
      throw new UsageError(`There is no workload for models of the category ${subject.category}.`);
  }
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

/** A workload that needs no other preparation than one request. */
function sameEachTime<S extends Sample>(workload: Omit<Workload<S>, 'prepare'>): Workload<S> {
  return { ...workload, prepare: async (signal) => void (await workload.send(0, signal)) };
}

/** Requests of several texts each, no two alike. @param ask sends one, and tells its tokens */
function textWorkload(
  noun: string,
  promptTokens: number,
  ask: (
    texts: readonly string[],
    options: { readonly signal: AbortSignal },
  ) => Promise<{ readonly promptTokens: number }>,
): Workload<Sample & { readonly promptTokens: number }> {
  const nouns = `${noun}s`;
  let wordCount = 1;
  const send: Workload<Sample & { readonly promptTokens: number }>['send'] = async (index, signal) => {
    const texts = Array.from({ length: textsPerRequest }, (_, text) =>
      writeWords(index * textsPerRequest + text, wordCount),
    );
    const startedAt = performance.now();
    const answer = await ask(texts, { signal });
    return { totalMs: performance.now() - startedAt, promptTokens: answer.promptTokens };
  };
  return {
    description: `${textsPerRequest} ${nouns} in each, of about ${promptTokens} tokens`,
    async prepare(signal) {
      const count = async (text: string): Promise<number> => (await ask([text], { signal })).promptTokens;
      wordCount = await findWordCount(promptTokens, count);
      await send(0, signal);
    },
    send,
    measure(samples, elapsedMs) {
      const tokens = sum(samples.map((sample) => sample.promptTokens));
      const texts = samples.length * textsPerRequest;
      const textSpeeds = samples.map(({ totalMs }) => textsPerRequest / (totalMs / 1000));
      return [
        totals('request', samples),
        speeds(nouns, `${nouns}/s`, textSpeeds, texts / (elapsedMs / 1000)),
        rate('tokens', 'tokens/s', tokens, elapsedMs),
        { name: noun, unit: 'tokens', overall: tokens / texts },
      ];
    },
  };
}

function detectionWorkload({ inference, model }: Subject, picture: Uint8Array): Workload {
  const image = Buffer.from(picture).toString('base64');
  return sameEachTime({
    description: 'the same picture in each',
    async send(_index, signal) {
      const startedAt = performance.now();
      await inference.detect({ model, image }, { signal });
      return { totalMs: performance.now() - startedAt };
    },
    measure: (samples, elapsedMs) => [
      totals('picture', samples),
      rate('pictures', 'runs/s', samples.length, elapsedMs),
    ],
  });
}

function imageWorkload(
  { inference, model }: Subject,
  values: BenchValues,
): Workload<Sample & { readonly steps: number }> {
  const load = readImageLoad(values);
  const { width, height, numInferenceSteps } = load;
  const size = width === undefined ? 'pictures of the default size' : `pictures of ${width} × ${height}`;
  return sameEachTime({
    description: numInferenceSteps === undefined ? size : `${size}, ${numInferenceSteps} steps`,
    async send(seed, signal) {
      const request = { model, prompt: 'a red circle above a blue square', seed, ...load };
      const { totalMs, piecesMs } = await timeRun(
        () => inference.image(request, { signal }),
        ({ type }) => type === 'image-step',
      );
      return { totalMs, steps: piecesMs.length };
    },
    measure(samples, elapsedMs) {
      const steps = sum(samples.map((sample) => sample.steps));
      return [
        totals('picture', samples),
        rate('pictures', 'runs/s', samples.length, elapsedMs),
        ...(steps > 0 ? [rate('steps', 'steps/s', steps, elapsedMs)] : []),
      ];
    },
  });
}

interface AudioSample extends Sample {
  /** Until the first audio or the first segment; `undefined` where the answer comes as a whole. */
  readonly firstMs: number | undefined;
  readonly audioSeconds: number;
}

function audioWorkload(description: string, first: string, ask: Ask): Workload<AudioSample> {
  return sameEachTime({
    description,
    async send(_index, signal) {
      let audioSeconds = 0;
      const { totalMs, piecesMs } = await timeRun(
        () => ask(signal),
        (event) => {
          if (event.type === 'speech-end' || event.type === 'transcription-end')
            audioSeconds = event.durationSeconds;
          return event.type === 'audio' || event.type === 'segment';
        },
      );
      return { totalMs, firstMs: piecesMs[0], audioSeconds };
    },
    measure(samples, elapsedMs) {
      const audioSeconds = sum(samples.map((sample) => sample.audioSeconds));
      const firsts = samples.map(({ firstMs }) => firstMs).filter((ms) => ms !== undefined);
      const factors = samples.map((sample) => sample.totalMs / 1000 / sample.audioSeconds);
      const { p50, p95 } = times('', factors);
      const factor = { name: 'real-time factor', unit: 's per s of audio', p50, p95 };
      return [
        ...(firsts.length > 0 ? [times(first, firsts)] : []),
        totals('whole', samples),
        rate('runs', 'runs/s', samples.length, elapsedMs),
        ...(audioSeconds > 0 ? [factor, rate('audio', 's of audio per s', audioSeconds, elapsedMs)] : []),
      ];
    },
  });
}
