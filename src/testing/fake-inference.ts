import type { CallOptions, RunEvent } from '../contracts/run.ts';
import type { DetectionResult } from '../categories/detection/events.ts';
import type { DetectionRequest } from '../categories/detection/request.ts';
import type { EmbeddingResult } from '../categories/embedding/events.ts';
import type { EmbeddingRequest } from '../categories/embedding/request.ts';
import type { RerankResult } from '../categories/rerank/events.ts';
import type { RerankRequest } from '../categories/rerank/request.ts';
import { assertNames } from '../core/assert-names.ts';
import {
  categories,
  type AnyModelInfo,
  type AnyModelOptions,
  type Categories,
  type Category,
} from '../categories/registry.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { ModelStatus } from '../contracts/model.ts';
import type { InferenceObserver } from '../contracts/observer.ts';
import { fieldError, InferenceError } from '../errors.ts';
import { assertCallOptions, methodsOver, type Inference } from '../inference.ts';
import { Observers } from '../observers.ts';
import { inTurn, playChat, type FakeAnswer } from './fake-chat.ts';
import { assertScripts, readScript, type Answerer, type Scripted } from './scripts.ts';
import { playImages, type FakePainter } from './fake-image.ts';
import { playSpeech, type FakeSpeaker } from './fake-speech.ts';
import { playTranscript, type FakeListener } from './fake-transcription.ts';
import { quote } from '../core/text/quote.ts';
import type { VoiceModel } from '../realtime/agent/voice.ts';
import { withVoices } from '../realtime/agent/with-voices.ts';
import { watchRun, type RunWatch } from '../engine/run-watch.ts';
import { truncateVector } from '../core/embedding/dimensions.ts';
import { normalizeInPlace } from '../core/embedding/normalize.ts';
import { wordsOf } from './fake-run.ts';

const fakeDimensions = 16;

/**
 * Vectors of 16 dimensions that count characters, so that equal texts have equal vectors and texts of the same letters are
 * near; a word counts as one token.
 */
function countCharacters({ inputs, dimensions = fakeDimensions }: EmbeddingRequest): EmbeddingResult {
  const embeddings = inputs.map((input) => {
    const vector = new Float32Array(fakeDimensions);
    const codes =
      typeof input === 'string' ? [...input].map((character) => character.codePointAt(0)!) : input;
    for (const code of codes) vector[code % fakeDimensions]! += 1;
    return normalizeInPlace(truncateVector(vector, Math.min(dimensions, fakeDimensions)));
  });
  const tokens = inputs.map((input) => (typeof input === 'string' ? wordsOf(input) : input).length);
  return { embeddings, promptTokens: tokens.reduce((sum, count) => sum + count, 0) };
}

/** Ranks documents by the share of the query's words that they have; a word counts as one token. */
function countSharedWords({ query, documents, topN, returnDocuments }: RerankRequest): RerankResult {
  const wanted = new Set(wordsOf(query).map(bare));
  const results = documents.map((document, index) => {
    const found = new Set(wordsOf(document).map(bare));
    const shared = [...wanted].filter((word) => found.has(word)).length;
    return {
      index,
      relevanceScore: shared / Math.max(1, wanted.size),
      ...(returnDocuments ? { document } : {}),
    };
  });
  const promptTokens = documents.reduce(
    (sum, document) => sum + wordsOf(document).length + wordsOf(query).length,
    0,
  );
  return {
    results: results.sort((a, b) => b.relevanceScore - a.relevanceScore).slice(0, topN ?? documents.length),
    promptTokens,
  };
}

function bare(word: string): string {
  return word.trim().toLowerCase();
}

/** The models and answers of a fake inference. */
export interface FakeInferenceOptions {
  /** Ids of chat models, or descriptions of models; default `['fake-chat']`. */
  readonly models?: readonly (string | (Partial<AnyModelInfo> & { readonly id: string }))[] | undefined;
  /**
   * The answer, or a function that gives the one of each choice. Of a list, every request takes the next answer, and a request
   * after the last one fails. Default: repeats the last message.
   */
  readonly reply?: FakeAnswer | readonly FakeAnswer[];
  /** Findings of detection models, or a function that returns them; default: nothing in an image of one pixel. */
  readonly detections?: Scripted<DetectionResult, DetectionRequest> | undefined;
  /**
   * Answers of embedding models. Default: vectors of 16 dimensions that count characters, so that equal texts have
   * equal vectors and texts of the same letters are near; a word counts as one token.
   */
  readonly embeddings?: Answerer<EmbeddingResult, EmbeddingRequest> | undefined;
  /** The answers of rerank models; default: ranks documents by the words that they share with the query. */
  readonly ranking?: Answerer<RerankResult, RerankRequest> | undefined;
  /** Transcript of transcription models; default: an empty one. */
  readonly transcript?: FakeListener | undefined;
  /** Images of image models; default: one grey pixel. */
  readonly drawing?: FakePainter | undefined;
  /** Speech of speech models; default: a tenth of a second of silence for each word. */
  readonly speech?: FakeSpeaker | undefined;
  /** Agents by their ids; default: none. */
  readonly voices?: Readonly<Record<string, VoiceModel>> | undefined;
  /** State of every model; default `ready`. */
  readonly state?: ModelStatus['state'] | undefined;
}

/** An `Inference` without any model, and the requests that it got. */
export interface FakeInference extends Inference {
  /** All chat requests so far, complete with defaults. */
  readonly requests: readonly Categories['chat']['request'][];
  /** All requests of a category so far, complete with defaults. */
  requestsOf<C extends Category>(category: C): readonly Categories[C]['request'][];
  /** The options of each request. */
  readonly calls: readonly CallOptions[];
  /** Number of running requests. */
  readonly running: number;
  /** Number of runs that were abandoned or aborted. */
  readonly cancelled: number;
}

type Player<C extends Category> = (
  options: FakeInferenceOptions,
  request: Categories[C]['request'],
  model: AnyModelInfo,
  callOptions: CallOptions,
) => AsyncIterable<Categories[C]['event']>;

const players: { readonly [C in Category]: Player<C> } = {
  chat: ({ reply }, request, _model, { signal }) => playChat(reply as FakeAnswer, request, signal),
  async *detection({ detections = nothing }, request, _model, callOptions) {
    yield { type: 'detections', ...(await readScript('detections', detections, request, callOptions)) };
  },
  async *embedding({ embeddings = countCharacters }, request, _model, callOptions) {
    yield { type: 'embeddings', ...(await readScript('embeddings', embeddings, request, callOptions)) };
  },
  image: ({ drawing = {} }, request, _model, callOptions) => playImages(drawing, request, callOptions),
  async *rerank({ ranking = countSharedWords }, request, _model, callOptions) {
    yield { type: 'ranking', ...(await readScript('ranking', ranking, request, callOptions)) };
  },
  speech: ({ speech = {} }, request, model, callOptions) => playSpeech(speech, request, model, callOptions),
  transcription: ({ transcript = { segments: [] } }, request, model, callOptions) =>
    playTranscript(transcript, request, model, callOptions),
};

const optionNames = [
  'models',
  'reply',
  'detections',
  'embeddings',
  'ranking',
  'transcript',
  'drawing',
  'speech',
  'voices',
  'state',
] satisfies (keyof FakeInferenceOptions)[];

const nothing: DetectionResult = { detections: [], image: { width: 1, height: 1 } };

/**
 * A stand-in for `createInference` in tests of a service: it checks requests as the real one does and answers by
 * script. Parameters that work are `n`, `max_tokens`, `include_reasoning`, `logprobs` and `tool_choice`; sampling has no
 * part in it.
 *
 * @throws TypeError that begins with the name of an option for a script that can't be played
 *
 * @example
 * ```ts
 * const inference = createFakeInference({ reply: { text: 'Hello there' } });
 * const handler = createHandler(inference, { auth: 'none' });
 * ```
 */
export function createFakeInference(given: FakeInferenceOptions = {}): FakeInference {
  assertNames('createFakeInference', given, optionNames);
  const options = Array.isArray(given.reply) ? { ...given, reply: inTurn(given.reply) } : given;
  assertScripts(options);
  const models = (options.models ?? ['fake-chat']).map(toModelInfo);
  const unloaded = new Set<string>();
  const find = (id: string): AnyModelInfo => {
    const model = models.find((one) => one.id === id);
    if (model) return model;
    throw new InferenceError('model_not_found', `The model ${quote(id)} does not exist.`, { param: 'model' });
  };
  const requests = new Map<string, unknown[]>([...categories.keys()].map((name) => [name, []]));
  const calls: CallOptions[] = [];
  const counts = { running: 0, cancelled: 0 };
  const observers = new Observers<InferenceObserver>();

  async function* run(
    name: string,
    input: AnyRequest,
    callOptions: CallOptions = {},
  ): AsyncGenerator<RunEvent> {
    assertCallOptions(callOptions);
    const category = categories.get(name)!;
    const request = category.complete(input);
    const model = find(input.model);
    unloaded.delete(model.id);
    requests.get(name)!.push(request);
    calls.push(callOptions);
    callOptions.onDispatch?.();
    counts.running += 1;
    let ended = false;
    try {
      const play = players[name as Category] as unknown as Player<never>;
      const events = play(options, request as never, model, callOptions);
      const asked = { request, model: input.model, isKnownModel: true };
      const watch = watchRun(observers, category, asked, callOptions);
      watch?.dispatch();
      yield* observedEvents(watch, events);
      ended = true;
    } catch (error) {
      ended = !callOptions.signal?.aborted;
      throw error;
    } finally {
      counts.running -= 1;
      if (!ended) counts.cancelled += 1;
    }
  }

  const load = async (id: string): Promise<void> => void unloaded.delete(find(id).id);
  const requestsOf = <C extends Category>(category: C): readonly Categories[C]['request'][] =>
    requests.get(category) as Categories[C]['request'][];
  const fake = {
    ...methodsOver(run),
    run,
    requestsOf,
    get requests() {
      return requestsOf('chat');
    },
    calls,
    models: () => [...models],
    status: () =>
      models.map(({ id }) => ({
        id,
        state: unloaded.has(id) ? 'unloaded' : (options.state ?? 'ready'),
        running: counts.running,
        waiting: 0,
      })),
    observe(observer: InferenceObserver) {
      if (observers.add(observer)) observers.tellOne(observer, 'onAttach', fake);
      return () => observers.remove(observer);
    },
    add(id: string, settings: AnyModelOptions) {
      const { category = 'chat', name = id } = settings;
      if (models.some((one) => one.id === id))
        throw fieldError('id', `expected one that is free, got ${quote(id)}`);
      models.push(toModelInfo({ id, name, category }));
    },
    async remove(id: string) {
      models.splice(models.indexOf(find(id)), 1);
    },
    load,
    async unload(id: string) {
      unloaded.add(find(id).id);
    },
    reload: load,
    ready: async () => {},
    close: async () => observers.tell('onClose'),
    get running() {
      return counts.running;
    },
    get cancelled() {
      return counts.cancelled;
    },
  };
  return withVoices(fake as unknown as FakeInference, options.voices ?? {});
}

function toModelInfo(model: string | (Partial<AnyModelInfo> & { readonly id: string })): AnyModelInfo {
  const given = typeof model === 'string' ? { id: model } : model;
  return { name: given.id, category: 'chat', contextLength: 2048, created: 0, ownedBy: 'slashv1', ...given };
}

async function* observedEvents<Event extends RunEvent>(
  watch: RunWatch | undefined,
  events: AsyncIterable<Event>,
): AsyncGenerator<Event> {
  try {
    for await (const event of events) {
      watch?.push([event]);
      yield event;
    }
    watch?.end();
  } catch (error) {
    watch?.end(InferenceError.from(error));
    throw error;
  } finally {
    watch?.leave([]);
  }
}
