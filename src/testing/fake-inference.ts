import { truncateVector } from '../core/embedding/dimensions.ts';
import { normalizeInPlace } from '../core/embedding/normalize.ts';
import type { CallOptions, Inference, ModelStatus } from '../engine/contract.ts';
import type { InferenceObserver, RunSubject } from '../engine/observer.ts';
import type { AnyEvent } from '../engine/protocol.ts';
import { InferenceError } from '../errors.ts';
import { Observers } from '../observers.ts';
import { completeChatRequest, type ChatRequestInput } from '../categories/chat/request.ts';
import { completeDetectionRequest, type DetectionRequestInput } from '../categories/detection/request.ts';
import { completeEmbeddingRequest, type EmbeddingRequestInput } from '../categories/embedding/request.ts';
import { completeImageRequest, type ImageRequestInput } from '../categories/image/request.ts';
import { completeSpeechRequest, type SpeechRequestInput } from '../categories/speech/request.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequestInput,
} from '../categories/transcription/request.ts';
import type {
  ChatEvent,
  ChatRequest,
  DetectionRequest,
  DetectionResult,
  EmbeddingRequest,
  EmbeddingResult,
  FinishReason,
  ImageEvent,
  ImageRequest,
  ModelInfo,
  SpeechEvent,
  SpeechRequest,
  TranscriptionEvent,
  TranscriptionRequest,
} from '../categories/contract.ts';
import { playImages, type FakePainter } from './fake-image.ts';
import { playSpeech, type FakeSpeaker } from './fake-speech.ts';
import { playTranscript, type FakeListener } from './fake-transcription.ts';
import { observe, observedEvents, observedResult } from './observed-run.ts';
import { pause } from './pause.ts';
import { wordsOf } from './words.ts';

/** What the fake model answers; text is sent word by word, and a word counts as one token. */
export interface FakeReply {
  readonly reasoning?: string | undefined;
  readonly text?: string | undefined;
  /** `arguments` may be an object. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string | object }[] | undefined;
  /** Waits so long before the prompt counts as read; default 0. */
  readonly promptDelayMs?: number | undefined;
  /** Waits so long before every word; default 0. */
  readonly delayMs?: number | undefined;
  /** Fails with it: once the prompt would have been read, or after `failAfter` events. */
  readonly error?: Error | undefined;
  /** Default 0. */
  readonly failAfter?: number | undefined;
}

/** What a fake inference serves and answers. */
export interface FakeInferenceOptions {
  /** Ids of chat models, or descriptions of models; default `['fake-chat']`. */
  readonly models?: readonly (string | (Partial<ModelInfo> & { readonly id: string }))[] | undefined;
  /** The answer, or a function that gives the one of each choice. Default: repeats the last message. */
  readonly reply?:
    string | FakeReply | ((request: ChatRequest, choice: number) => string | FakeReply) | undefined;
  /** What detection models find, or a function that tells it; default: nothing in an image of one pixel. */
  readonly detections?:
    | DetectionResult
    | ((request: DetectionRequest, options: CallOptions) => DetectionResult | Promise<DetectionResult>)
    | undefined;
  /**
   * What embedding models answer. Default: vectors of 16 dimensions that count characters, so that equal texts have
   * equal vectors and texts of the same letters are near; a word counts as one token.
   */
  readonly embeddings?:
    | ((request: EmbeddingRequest, options: CallOptions) => EmbeddingResult | Promise<EmbeddingResult>)
    | undefined;
  /** What transcription models hear; default: nothing in no time. */
  readonly transcript?: FakeListener | undefined;
  /** How image models draw; default: one grey pixel. */
  readonly drawing?: FakePainter | undefined;
  /** How speech models speak; default: a tenth of a second of silence for each word. */
  readonly speech?: FakeSpeaker | undefined;
  /** Of every model; default `ready`. */
  readonly state?: ModelStatus['state'] | undefined;
}

/** An `Inference` without any model, and what it was asked. */
export interface FakeInference extends Inference {
  /** All chat requests so far, complete with defaults. */
  readonly requests: readonly ChatRequest[];
  /** All detection requests so far, complete with defaults. */
  readonly detectionRequests: readonly DetectionRequest[];
  /** All embedding requests so far, complete with defaults. */
  readonly embeddingRequests: readonly EmbeddingRequest[];
  /** All image requests so far, complete with defaults. */
  readonly imageRequests: readonly ImageRequest[];
  /** All transcription requests so far, complete with defaults. */
  readonly transcriptionRequests: readonly TranscriptionRequest[];
  /** All speech requests so far, complete with defaults. */
  readonly speechRequests: readonly SpeechRequest[];
  /** The options of each request. */
  readonly calls: readonly CallOptions[];
  /** How many requests are running. */
  readonly running: number;
  /** How many were left or aborted before their end. */
  readonly cancelled: number;
}

/**
 * A stand-in for `createInference` in tests of a service: it checks requests as the real one does and answers by
 * script. Acting parameters are `n`, `max_tokens`, `include_reasoning`, `logprobs` and `tool_choice`; sampling has no
 * part in it.
 *
 * @example
 * ```ts
 * const inference = createFakeInference({ reply: { text: 'Hello there' } });
 * const handler = createHandler(inference, { auth: 'none' });
 * ```
 */
export function createFakeInference(options: FakeInferenceOptions = {}): FakeInference {
  const models = (options.models ?? ['fake-chat']).map(toModelInfo);
  const requests: ChatRequest[] = [];
  const detectionRequests: DetectionRequest[] = [];
  const embeddingRequests: EmbeddingRequest[] = [];
  const imageRequests: ImageRequest[] = [];
  const transcriptionRequests: TranscriptionRequest[] = [];
  const speechRequests: SpeechRequest[] = [];
  const calls: CallOptions[] = [];
  const counts = { running: 0, cancelled: 0 };
  const observers = new Observers<InferenceObserver>();

  async function* counted<Event extends AnyEvent>(
    subject: RunSubject,
    events: AsyncIterable<Event>,
    callOptions: CallOptions,
  ): AsyncGenerator<Event> {
    const { signal } = callOptions;
    counts.running += 1;
    let ended = false;
    try {
      yield* observedEvents(observe(observers, subject, callOptions), events);
      ended = true;
    } catch (error) {
      ended = !signal?.aborted;
      throw error;
    } finally {
      counts.running -= 1;
      if (!ended) counts.cancelled += 1;
    }
  }

  async function* chat(input: ChatRequestInput, callOptions: CallOptions = {}): AsyncGenerator<ChatEvent> {
    assertModel(models, input.model);
    const request = completeChatRequest(input);
    requests.push(request);
    calls.push(callOptions);
    const replies = Array.from({ length: request.n }, (_, choice) => replyOf(options.reply, request, choice));
    const events = play(request, replies, callOptions.signal);
    const answer = failing(replies[0]!, events, callOptions.signal);
    yield* counted({ category: 'chat', request }, answer, callOptions);
  }

  async function* generateImages(
    input: ImageRequestInput,
    callOptions: CallOptions = {},
  ): AsyncGenerator<ImageEvent> {
    assertModel(models, input.model);
    const request = completeImageRequest(input);
    imageRequests.push(request);
    calls.push(callOptions);
    const events = playImages(options.drawing ?? {}, request, callOptions);
    yield* counted({ category: 'image', request }, events, callOptions);
  }

  async function* transcribe(
    input: TranscriptionRequestInput,
    callOptions: CallOptions = {},
  ): AsyncGenerator<TranscriptionEvent> {
    const model = assertModel(models, input.model);
    const request = completeTranscriptionRequest(input);
    transcriptionRequests.push(request);
    calls.push(callOptions);
    const listener = options.transcript ?? { segments: [] };
    const events = playTranscript(listener, request, model, callOptions);
    yield* counted({ category: 'transcription', request }, events, callOptions);
  }

  async function* speak(
    input: SpeechRequestInput,
    callOptions: CallOptions = {},
  ): AsyncGenerator<SpeechEvent> {
    const model = assertModel(models, input.model);
    const request = completeSpeechRequest(input);
    speechRequests.push(request);
    calls.push(callOptions);
    const events = playSpeech(options.speech ?? {}, request, model, callOptions);
    yield* counted({ category: 'speech', request }, events, callOptions);
  }

  async function detect(
    input: DetectionRequestInput,
    callOptions: CallOptions = {},
  ): Promise<DetectionResult> {
    assertModel(models, input.model);
    const request = completeDetectionRequest(input);
    detectionRequests.push(request);
    calls.push(callOptions);
    counts.running += 1;
    try {
      const { detections = { detections: [], image: { width: 1, height: 1 } } } = options;
      return await observedResult(
        observe(observers, { category: 'detection', request }, callOptions),
        () => (typeof detections === 'function' ? detections(request, callOptions) : detections),
        (result) => ({ type: 'detections', ...result }),
      );
    } finally {
      counts.running -= 1;
      if (callOptions.signal?.aborted) counts.cancelled += 1;
    }
  }

  async function embed(
    input: EmbeddingRequestInput,
    callOptions: CallOptions = {},
  ): Promise<EmbeddingResult> {
    assertModel(models, input.model);
    const request = completeEmbeddingRequest(input);
    embeddingRequests.push(request);
    calls.push(callOptions);
    counts.running += 1;
    try {
      return await observedResult(
        observe(observers, { category: 'embedding', request }, callOptions),
        () => (options.embeddings ?? countCharacters)(request, callOptions),
        (result) => ({ type: 'embeddings', ...result }),
      );
    } finally {
      counts.running -= 1;
      if (callOptions.signal?.aborted) counts.cancelled += 1;
    }
  }

  const fake: FakeInference = {
    chat,
    detect,
    embed,
    generateImages,
    transcribe,
    speak,
    requests,
    detectionRequests,
    embeddingRequests,
    imageRequests,
    transcriptionRequests,
    speechRequests,
    calls,
    models: () => models,
    status: () =>
      models.map(({ id }) => ({ id, state: options.state ?? 'ready', running: counts.running, waiting: 0 })),
    observe(observer) {
      if (observers.add(observer)) observers.tellOne(observer, 'onAttach', fake);
      return () => observers.remove(observer);
    },
    ready: async () => {},
    close: async () => {},
    get running() {
      return counts.running;
    },
    get cancelled() {
      return counts.cancelled;
    },
  };
  return fake;
}

function assertModel(models: readonly ModelInfo[], id: string): ModelInfo {
  const model = models.find((candidate) => candidate.id === id);
  if (model !== undefined) return model;
  throw new InferenceError('model_not_found', `The model ${id} does not exist.`, { param: 'model' });
}

function toModelInfo(model: string | (Partial<ModelInfo> & { readonly id: string })): ModelInfo {
  const given = typeof model === 'string' ? { id: model } : model;
  return { name: given.id, category: 'chat', contextLength: 2048, created: 0, ownedBy: 'slashv1', ...given };
}

function replyOf(reply: FakeInferenceOptions['reply'], request: ChatRequest, choice: number): FakeReply {
  const chosen = typeof reply === 'function' ? reply(request, choice) : reply;
  if (chosen === undefined) return { text: request.messages.at(-1)?.content ?? '' };
  return typeof chosen === 'string' ? { text: chosen } : chosen;
}

async function* failing(
  reply: FakeReply,
  events: AsyncIterable<ChatEvent>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatEvent> {
  let left = reply.error === undefined ? Infinity : (reply.failAfter ?? 0);
  if (left === 0) {
    await pause(reply.promptDelayMs, signal);
    throw reply.error;
  }
  for await (const event of events) {
    yield event;
    left -= 1;
    if (left === 0) throw reply.error;
  }
}

async function* play(
  request: ChatRequest,
  replies: readonly FakeReply[],
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatEvent> {
  const promptTokens = request.messages.reduce(
    (sum, message) => sum + wordsOf(message.content ?? '').length,
    0,
  );
  await pause(replies[0]!.promptDelayMs, signal);
  yield { type: 'prompt-end', promptTokens };
  const scripts = replies.map((reply, choice) => scriptOf(reply, request, choice));
  const usage = { completionTokens: 0, reasoningTokens: 0 };
  const longest = Math.max(...scripts.map((script) => script.length));
  for (let step = 0; step < longest; step += 1) {
    for (const [choice, script] of scripts.entries()) {
      const turn = script[step];
      if (turn === undefined) continue;
      await pause(turn.isToken ? replies[choice]!.delayMs : 0, signal);
      usage.completionTokens += turn.isToken ? 1 : 0;
      usage.reasoningTokens += turn.isReasoning ? 1 : 0;
      yield* turn.events;
    }
  }
  yield { type: 'usage', promptTokens, cachedTokens: 0, ...usage };
}

interface Turn {
  readonly isToken: boolean;
  readonly isReasoning: boolean;
  readonly events: readonly ChatEvent[];
}

function scriptOf(reply: FakeReply, request: ChatRequest, choice: number): Turn[] {
  const tokens = [...reasoningTurns(reply, request, choice), ...textTurns(reply, request, choice)];
  const toolTurns = request.toolChoice === 'none' ? [] : toolCallTurns(reply, choice);
  const all = [...tokens, ...toolTurns];
  const kept = all.slice(0, request.maxTokens);
  const finishReason: FinishReason =
    kept.length < all.length ? 'length' : toolTurns.length > 0 ? 'tool_calls' : 'stop';
  return [
    ...kept,
    { isToken: false, isReasoning: false, events: [{ type: 'choice-end', choice, finishReason }] },
  ];
}

function reasoningTurns(reply: FakeReply, request: ChatRequest, choice: number): Turn[] {
  return wordsOf(reply.reasoning ?? '').map((text) => ({
    isToken: true,
    isReasoning: true,
    events: request.includeReasoning
      ? [{ type: 'reasoning-delta', choice, text }, ...logprobsOf(request, choice, text)]
      : [],
  }));
}

function textTurns(reply: FakeReply, request: ChatRequest, choice: number): Turn[] {
  return wordsOf(reply.text ?? '').map((text) => ({
    isToken: true,
    isReasoning: false,
    events: [{ type: 'text-delta', choice, text }, ...logprobsOf(request, choice, text)],
  }));
}

function toolCallTurns(reply: FakeReply, choice: number): Turn[] {
  return (reply.toolCalls ?? []).map(({ name, arguments: given }, call) => ({
    isToken: true,
    isReasoning: false,
    events: [
      { type: 'tool-call-start', choice, call, id: `call_${choice}_${call}`, name },
      {
        type: 'tool-call-delta',
        choice,
        call,
        arguments: typeof given === 'string' ? given : JSON.stringify(given),
      },
    ],
  }));
}

function logprobsOf(request: ChatRequest, choice: number, text: string): ChatEvent[] {
  if (!request.logprobs) return [];
  const token = { token: text, logprob: 0, bytes: [...new TextEncoder().encode(text)] };
  const topLogprobs = request.topLogprobs > 0 ? [token] : [];
  return [{ type: 'logprobs', choice, tokens: [{ ...token, topLogprobs }] }];
}

const fakeDimensions = 16;

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
