import type {
  Category,
  ChatEvent,
  DetectionResult,
  EmbeddingResult,
  ImageEvent,
  ModelInfo,
  ModelSpec,
  SpeechEvent,
  TranscriptionEvent,
} from '../categories/contract.ts';
import type { ChatRequestInput } from '../categories/chat/request.ts';
import type { DetectionRequestInput } from '../categories/detection/request.ts';
import type { EmbeddingRequestInput } from '../categories/embedding/request.ts';
import type { ImageRequestInput } from '../categories/image/request.ts';
import type { SpeechRequestInput } from '../categories/speech/request.ts';
import type { TranscriptionRequestInput } from '../categories/transcription/request.ts';
import type { InferenceObserver, RunOrigin } from './observer.ts';

/** How one request is to be run. */
export interface CallOptions {
  /** Aborting it cancels the request; its error is then `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time from now until the request must be finished, waiting included; afterwards its error is `deadline_exceeded`.
   * It can shorten the model's own limit, not lengthen it.
   */
  readonly deadlineMs?: number | undefined;
  /** What the request is a part of, for observers and for what a worker reports about errors. */
  readonly origin?: RunOrigin | undefined;
  /** The id that the answer is going to have, for observers. */
  readonly responseId?: string | undefined;
}

/** Limits of one model. */
export interface ModelLimits {
  /** Worker processes of this model; default 1. */
  readonly replicas?: number | undefined;
  /** Requests that may wait; one more is refused with `overloaded`. Default 64. */
  readonly maxQueue?: number | undefined;
  /** Default deadline of a request, waiting included; default 10 minutes. */
  readonly deadlineMs?: number | undefined;
}

/** Where a model comes from, its settings and its limits. */
export type ModelOptions<C extends Category = Category> = Omit<ModelSpec<C>, 'id'> & ModelLimits;

/** How a model is doing at the moment. */
export interface ModelStatus {
  readonly id: string;
  /** `loading` also while a lost worker is being replaced; `failed` when the model can't be loaded. */
  readonly state: 'loading' | 'ready' | 'failed' | 'closed';
  /** Requests in the workers' hands, cancelled ones that have not stopped yet included. */
  readonly running: number;
  readonly waiting: number;
}

/** All models of a service, usable with or without HTTP. */
export interface Inference {
  /**
   * One chat request as a stream of events.
   *
   * @throws InferenceError before the first event for a bad request, an unknown model or a full queue; later for
   * cancellation, a passed deadline or a lost worker
   */
  chat(request: ChatRequestInput, options?: CallOptions): AsyncIterable<ChatEvent>;
  /**
   * Finds the objects in an image.
   *
   * @throws InferenceError for a bad request or image, an unknown model, a full queue, cancellation, a passed deadline
   * or a lost worker
   */
  detect(request: DetectionRequestInput, options?: CallOptions): Promise<DetectionResult>;
  /**
   * Turns texts into vectors.
   *
   * @throws InferenceError for a bad request, an unknown model, a full queue, cancellation, a passed deadline or a lost
   * worker
   */
  embed(request: EmbeddingRequestInput, options?: CallOptions): Promise<EmbeddingResult>;
  /**
   * Writes down what is said in a recording, segment by segment; `collectTranscription` waits for the whole.
   *
   * @throws InferenceError before the first event for a bad request or recording, an unknown model or a full queue;
   * later for cancellation, a passed deadline or a lost worker
   */
  transcribe(request: TranscriptionRequestInput, options?: CallOptions): AsyncIterable<TranscriptionEvent>;
  /**
   * Draws images from a text, with an event for every step.
   *
   * @throws InferenceError before the first event for a bad request, an unknown model or a full queue; later for
   * cancellation, a passed deadline or a lost worker
   */
  generateImages(request: ImageRequestInput, options?: CallOptions): AsyncIterable<ImageEvent>;
  /**
   * Speaks a text, piece by piece.
   *
   * @throws InferenceError before the first event for a bad request, an unknown model or a full queue; later for
   * cancellation, a passed deadline or a lost worker
   */
  speak(request: SpeechRequestInput, options?: CallOptions): AsyncIterable<SpeechEvent>;
  /** Every configured model, loaded or not; until it is, `contextLength` is the configured one or 0. */
  models(): readonly ModelInfo[];
  status(): readonly ModelStatus[];
  /**
   * Tells an observer what happens from now on; one that is told already isn't told twice. Handlers call it for their
   * own `observers`. Inferences that a service makes up itself may leave it out.
   *
   * @returns ends it
   */
  observe?(observer: InferenceObserver): () => void;
  /** Resolves when every model is loaded; rejects with the first error of a model that can't be. */
  ready(): Promise<void>;
  /** Lets running requests end (up to `graceMs`, default 10 s), refuses new ones, ends all workers. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
