import { assertModels } from './assert-models.ts';
import { InferenceError } from './errors.ts';
import { completeChatRequest } from './categories/chat/request.ts';
import { completeDetectionRequest } from './categories/detection/request.ts';
import { completeEmbeddingRequest } from './categories/embedding/request.ts';
import { completeImageRequest } from './categories/image/request.ts';
import { completeSpeechRequest } from './categories/speech/request.ts';
import { completeTranscriptionRequest } from './categories/transcription/request.ts';
import type { ModelSpec, Pipeline } from './categories/contract.ts';
import type { Inference, ModelLimits, ModelOptions } from './engine/contract.ts';
import type { InferenceObserver } from './engine/observer.ts';
import { childReplicas } from './engine/child-replica.ts';
import { createEngine } from './engine/create-engine.ts';
import { failedStream } from './concurrency/event-stream.ts';
import { inlineReplicas } from './engine/inline-replica.ts';
import { logObserver } from './observability/log-observer.ts';
import { assertLogger, type Logger } from './observability/logger.ts';

/** Which models `createInference` starts, and how. */
export interface InferenceOptions {
  /** Model id → where the model comes from and its limits; see `chat()`. */
  readonly models: Readonly<Record<string, ModelOptions>>;
  /**
   * `process` (default): each replica is a child process, so the calling process never waits for a tensor and survives
   * a crash. `inline`: in the calling process, for scripts and unit tests.
   */
  readonly isolation?: 'process' | 'inline' | undefined;
  /** Gets a line when a model is loaded or lost, and for every run that no handler's request is behind. Default: none. */
  readonly logger?: Logger | undefined;
  /** Are told what happens, from the beginning; a handler's own are added by the handler. */
  readonly observers?: readonly InferenceObserver[] | undefined;
}

/** Settings of an object detection model. */
export type DetectionOptions = Pick<
  ModelOptions<'detection'>,
  | 'source'
  | 'remote'
  | 'dtype'
  | 'hub'
  | 'name'
  | 'device'
  | 'threads'
  | 'head'
  | 'classNames'
  | 'imageFetch'
  | 'maxPixels'
  | keyof ModelLimits
>;

/** Settings of an embedding model. */
export type EmbeddingOptions = Pick<
  ModelOptions<'embedding'>,
  | 'source'
  | 'remote'
  | 'dtype'
  | 'hub'
  | 'name'
  | 'device'
  | 'threads'
  | 'contextLength'
  | 'pooling'
  | 'normalize'
  | 'matryoshkaDimensions'
  | 'maxBatchTokens'
  | keyof ModelLimits
>;

/** Settings of a transcription model. */
export type TranscriptionOptions = Pick<
  ModelOptions<'transcription'>,
  | 'source'
  | 'dtype'
  | 'hub'
  | 'name'
  | 'device'
  | 'threads'
  | 'maxAudioSeconds'
  | 'voiceActivity'
  | 'ffmpegPath'
  | keyof ModelLimits
>;

/** Settings of an image generation model. */
export type ImageOptions = Pick<
  ModelOptions<'image'>,
  | 'source'
  | 'remote'
  | 'dtype'
  | 'hub'
  | 'name'
  | 'device'
  | 'threads'
  | 'isDistilled'
  | 'maxPixels'
  | keyof ModelLimits
>;

/** Settings of a speech model. */
export type SpeechOptions = Pick<
  ModelOptions<'speech'>,
  'source' | 'dtype' | 'hub' | 'name' | 'device' | 'threads' | 'phonemizer' | 'ffmpegPath' | keyof ModelLimits
>;

/**
 * Starts the given models.
 *
 * @throws InferenceError `invalid_request` for a setting out of range. Files that are missing show in `ready()`
 *
 * @example
 * ```ts
 * const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
 * const messages = [{ role: 'user', content: 'What is 2 + 3?' }] as const;
 * for await (const event of inference.chat({ model: 'tiny-chat', messages })) {
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * }
 * await inference.close();
 * ```
 */
export function createInference({
  models,
  isolation = 'process',
  logger,
  observers = [],
}: InferenceOptions): Inference {
  if (isolation !== 'process' && isolation !== 'inline') {
    throw new InferenceError(
      'invalid_request',
      `isolation: expected "process" or "inline", got ${JSON.stringify(isolation)}`,
      {
        param: 'isolation',
      },
    );
  }
  if (logger !== undefined) assertLogger(logger);
  assertModels(models);
  const startLocal =
    isolation === 'inline'
      ? inlineReplicas(loadInline)
      : childReplicas({ worker: new URL('./worker.js', import.meta.url) });
  const startRemote = inlineReplicas(loadRemote);
  const engine = createEngine(
    models,
    (spec, ...listeners) => (spec.remote?.kind === 'openai' ? startRemote : startLocal)(spec, ...listeners),
    logger === undefined ? observers : [...observers, logObserver(logger)],
  );
  return {
    chat(request, options) {
      try {
        return engine.run('chat', request.model, completeChatRequest(request), options);
      } catch (error) {
        return failedStream(InferenceError.from(error));
      }
    },
    async detect(request, options) {
      const complete = completeDetectionRequest(request);
      const result = await lastOf(engine.run('detection', request.model, complete, options));
      return { detections: result.detections, image: result.image };
    },
    async embed(request, options) {
      const complete = completeEmbeddingRequest(request);
      const { embeddings, promptTokens } = await lastOf(
        engine.run('embedding', request.model, complete, options),
      );
      return { embeddings, promptTokens };
    },
    transcribe(request, options) {
      try {
        return engine.run('transcription', request.model, completeTranscriptionRequest(request), options);
      } catch (error) {
        return failedStream(InferenceError.from(error));
      }
    },
    generateImages(request, options) {
      try {
        return engine.run('image', request.model, completeImageRequest(request), options);
      } catch (error) {
        return failedStream(InferenceError.from(error));
      }
    },
    speak(request, options) {
      try {
        return engine.run('speech', request.model, completeSpeechRequest(request), options);
      } catch (error) {
        return failedStream(InferenceError.from(error));
      }
    },
    models: () => engine.models(),
    status: () => engine.status(),
    observe: (observer) => engine.observe(observer),
    ready: () => engine.ready(),
    close: (options) => engine.close(options),
  };
}

/**
 * Describes a chat model for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { assistant: chat({ source: './models/my-model', threads: 4, replicas: 2 }) } });
 * ```
 */
export function chat(options: Omit<ModelOptions<'chat'>, 'category'>): ModelOptions<'chat'> {
  return { ...options, category: 'chat' };
}

/**
 * Describes an object detection model for `createInference`: a YOLO or a model of the DETR family as an ONNX graph.
 *
 * @example
 * ```ts
 * createInference({ models: { detector: detection({ source: './models/yolo11n', threads: 4 }) } });
 * ```
 */
export function detection(options: DetectionOptions): ModelOptions<'detection'> {
  return { ...options, category: 'detection' };
}

/**
 * Describes an embedding model for `createInference`: an encoder in the hub's ONNX layout, with or without the config
 * files of sentence-transformers.
 *
 * @example
 * ```ts
 * createInference({ models: { embedder: embedding({ source: './models/all-MiniLM-L6-v2', threads: 4 }) } });
 * ```
 */
export function embedding(options: EmbeddingOptions): ModelOptions<'embedding'> {
  return { ...options, category: 'embedding' };
}

/**
 * Describes an image generation model for `createInference`: Stable Diffusion or a relative in diffusers' ONNX layout.
 *
 * @example
 * ```ts
 * createInference({ models: { painter: image({ source: './models/sd-turbo', threads: 4 }) } });
 * ```
 */
export function image(options: ImageOptions): ModelOptions<'image'> {
  return { ...options, category: 'image' };
}

/**
 * Describes a speech recognition model for `createInference`: a Whisper in the hub's ONNX layout.
 *
 * @example
 * ```ts
 * createInference({ models: { recognizer: transcription({ source: './models/whisper-medium', threads: 4 }) } });
 * ```
 */
export function transcription(options: TranscriptionOptions): ModelOptions<'transcription'> {
  return { ...options, category: 'transcription' };
}

/**
 * Describes a text-to-speech model for `createInference`: a Kokoro in the hub's ONNX layout, `voices/*.bin` included.
 *
 * @example
 * ```ts
 * createInference({ models: { speaker: speech({ source: './models/Kokoro-82M', threads: 4 }) } });
 * ```
 */
export function speech(options: SpeechOptions): ModelOptions<'speech'> {
  return { ...options, category: 'speech' };
}

/** Imported late: a host whose models run in child processes loads no native code. */
async function loadInline(spec: ModelSpec): Promise<Pipeline> {
  const { loadPipeline } = await import('./load-pipeline.ts');
  return loadPipeline(spec);
}

async function loadRemote(spec: ModelSpec): Promise<Pipeline> {
  const { loadRemotePipeline } = await import('./backends/openai/load-remote.ts');
  return loadRemotePipeline(spec);
}

/** @throws InferenceError `internal` where there is no event at all */
async function lastOf<Event>(events: AsyncIterable<Event>): Promise<Event> {
  let last: Event | undefined;
  for await (const event of events) last = event;
  if (last === undefined) throw new InferenceError('internal', 'The run ended without a result.');
  return last;
}
