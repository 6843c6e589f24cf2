import type { ResponseFormat } from '../core/chat/grammar/constraint.ts';
import type { ChatMessage, ToolChoice, ToolDefinition } from '../core/chat/messages.ts';
import type { PoolingMode } from '../core/embedding/pooling.ts';
import type { ChatParameters } from './chat/parameters.ts';
import type { DetectionParameters } from './detection/parameters.ts';
import type { EmbeddingParameters } from './embedding/parameters.ts';
import type { ImageParameters } from './image/parameters.ts';
import type { SpeechFormat, SpeechParameters } from './speech/parameters.ts';
import type { TranscriptionParameters } from './transcription/parameters.ts';
import type { Box, Size } from '../core/vision/box.ts';
import type { HeadName } from '../core/vision/heads/head.ts';
import type { Dtype } from '../models/graph-files.ts';
import type { HubOptions } from '../models/hub/settings.ts';
import type { FetchLimits } from '../runtime/safe-fetch.ts';
import type { RemoteServer } from '../backends/openai/servers.ts';

/** A complete chat request: every parameter has its value, as `completeChatRequest` leaves it. */
export interface ChatRequest extends ChatParameters {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** Whether one answer may hold several calls. */
  readonly parallelToolCalls: boolean;
  readonly responseFormat: ResponseFormat;
  /** At most four; the first that appears in the answer ends it and is not part of it. */
  readonly stop: readonly string[];
  /** Token id → added to its logit. */
  readonly logitBias: ReadonlyMap<number, number>;
}

/** A token and how likely the model found it, as a natural logarithm. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 bytes of the token; a token may hold part of a character only. */
  readonly bytes: readonly number[];
}

/** A generated token and the most likely ones at its position. */
export interface TokenLogprobs extends TokenLogprob {
  readonly topLogprobs: readonly TokenLogprob[];
}

/** Why a choice ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** How many tokens a chat request took. */
export interface ChatUsage {
  readonly promptTokens: number;
  /** Of the prompt, how many needed no computing because an earlier request had the same beginning. */
  readonly cachedTokens: number;
  /** Over all choices, reasoning included. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/**
 * What happens during a chat request, in order. `choice` counts from 0 to n − 1; events of different choices
 * interleave. Concatenating the `text-delta`s of a choice gives its content; tool call arguments likewise.
 * `usage` comes once, last.
 */
export type ChatEvent =
  | {
      readonly type: 'prompt-end';
      readonly promptTokens: number;
      /** Names of the tools that the model was told about, where its template doesn't take all of them. */
      readonly toolsUsed?: readonly string[];
    }
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string }
  | { readonly type: 'text-delta'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'tool-call-start';
      readonly choice: number;
      /** Counts the calls of this choice from 0. */
      readonly call: number;
      readonly id: string;
      readonly name: string;
    }
  | {
      readonly type: 'tool-call-delta';
      readonly choice: number;
      readonly call: number;
      readonly arguments: string;
    }
  /** Only with `logprobs`; the tokens behind the deltas since the last such event. */
  | { readonly type: 'logprobs'; readonly choice: number; readonly tokens: readonly TokenLogprobs[] }
  | { readonly type: 'choice-end'; readonly choice: number; readonly finishReason: FinishReason }
  | ({ readonly type: 'usage' } & ChatUsage);

/** A complete detection request, as `completeDetectionRequest` leaves it. */
export interface DetectionRequest extends Pick<DetectionParameters, 'confidence' | 'maxDetections'> {
  readonly model: string;
  /** An http or https URL, a `data:` URL, or base64. */
  readonly image: string;
  /** Names or ids of classes, separated by commas; `undefined` for all. */
  readonly classes: string | undefined;
  /** `undefined` where the caller leaves it to the model whether boxes are suppressed. */
  readonly iouThreshold: number | undefined;
  /** `undefined` for the model's own. */
  readonly imageSize: number | undefined;
}

/** One object in an image. */
export interface Detection {
  readonly className: string;
  readonly classId: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** In pixels of the image, its EXIF orientation applied; never beyond its edges. */
  readonly box: Box;
}

/** What is in an image. */
export interface DetectionResult {
  /** Best first. */
  readonly detections: readonly Detection[];
  /** Size of the image, its EXIF orientation applied. */
  readonly image: Size;
}

/** What happens during a detection request: this, once. */
export type DetectionEvent = { readonly type: 'detections' } & DetectionResult;

/** A complete embedding request, as `completeEmbeddingRequest` leaves it. */
export interface EmbeddingRequest extends EmbeddingParameters {
  readonly model: string;
  /** Texts, or token ids that are taken as they are. At least one; none is empty. */
  readonly inputs: readonly (string | readonly number[])[];
  /** Whether the caller gave a list; otherwise `inputs` holds its only text. */
  readonly isList: boolean;
}

/** The vectors of an embedding request. */
export interface EmbeddingResult {
  /** In the order of the inputs. */
  readonly embeddings: readonly Float32Array[];
  /** Over all inputs, special tokens and prompts included. */
  readonly promptTokens: number;
}

/** What happens during an embedding request: this, once. */
export type EmbeddingEvent = { readonly type: 'embeddings' } & EmbeddingResult;

/** A complete image generation request, as `completeImageRequest` leaves it. */
export interface ImageRequest extends ImageParameters {
  readonly model: string;
  readonly prompt: string;
  /** Whether the events of steps carry small pictures of what is there by then. */
  readonly previews: boolean;
}

/** What happens while images are generated, in order; every image comes once. */
export type ImageEvent =
  | {
      readonly type: 'image-step';
      /** Counts the images from 0. */
      readonly image: number;
      /** Counts from 1 to `steps`. */
      readonly step: number;
      readonly steps: number;
      /** A small PNG. */
      readonly preview?: Uint8Array | undefined;
    }
  | {
      readonly type: 'image';
      readonly image: number;
      /** The parameters are in its metadata. */
      readonly png: Uint8Array;
      readonly seed: number;
    };

/** The bytes of an audio file, or its path. */
export type AudioSource = Uint8Array | { readonly path: string };

/** A complete transcription request, as `completeTranscriptionRequest` leaves it. */
export interface TranscriptionRequest extends TranscriptionParameters {
  readonly model: string;
  /** Its type is found from its bytes. */
  readonly audio: AudioSource;
  /** ISO 639-1; `undefined` to find it out. */
  readonly language: string | undefined;
  /** Text that comes before the audio: a guide to style and spelling, or the transcript so far. */
  readonly prompt: string | undefined;
  /** Whether segments carry their words. */
  readonly wordTimestamps: boolean;
}

/** A word that was said, with its times in seconds from the beginning of the audio. */
export interface TranscriptionWord {
  /** Without spaces around it, punctuation included. */
  readonly word: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A piece of speech that was transcribed as a whole, at most one window of the model long. */
export interface TranscriptionSegment {
  /** Counts from 0. */
  readonly id: number;
  /** Where the window began that it was found in, in frames of 10 ms. */
  readonly seek: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** With the space that separates it from the segment before. */
  readonly text: string;
  readonly tokens: readonly number[];
  /** At which it was decoded in the end. */
  readonly temperature: number;
  readonly averageLogprob: number;
  /** Length of the text over its compressed length; repetitions have a high one. */
  readonly compressionRatio: number;
  readonly noSpeechProbability: number;
  /** Only where words were asked for. */
  readonly words?: readonly TranscriptionWord[] | undefined;
}

/** What happens during a transcription, in order; a segment is final when it comes. `transcription-end` comes once, last. */
export type TranscriptionEvent =
  | { readonly type: 'segment'; readonly segment: TranscriptionSegment }
  | {
      readonly type: 'transcription-end';
      /** ISO 639-1; `undefined` where nobody speaks, or the model knows one language and doesn't say which. */
      readonly language: string | undefined;
      /** Of the audio. */
      readonly durationSeconds: number;
    };

/** A complete speech request, as `completeSpeechRequest` leaves it. */
export interface SpeechRequest extends SpeechParameters {
  readonly model: string;
  readonly input: string;
  readonly format: SpeechFormat;
}

/** What happens during a speech request, in order: the `bytes` of all `audio` events together are the file. */
export type SpeechEvent =
  | { readonly type: 'speech-start'; readonly mediaType: string; readonly sampleRateHz: number }
  | { readonly type: 'audio'; readonly bytes: Uint8Array }
  | { readonly type: 'speech-end'; readonly durationSeconds: number };

/** A voice of a speech model. */
export interface Voice {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** BCP 47, such as `en-US`. */
  readonly language: string;
}

/** What each category of models takes and gives. */
export interface Categories {
  chat: { request: ChatRequest; event: ChatEvent };
  detection: { request: DetectionRequest; event: DetectionEvent };
  embedding: { request: EmbeddingRequest; event: EmbeddingEvent };
  image: { request: ImageRequest; event: ImageEvent };
  speech: { request: SpeechRequest; event: SpeechEvent };
  transcription: { request: TranscriptionRequest; event: TranscriptionEvent };
}

/** What a model is for. */
export type Category = keyof Categories;

/** What is known about a loaded model. */
export interface ModelInfo<C extends Category = Category> {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly category: C;
  /** Tokens of prompt and answer together; 0 where a model reads no text. */
  readonly contextLength: number;
  /** Of detection models: which values `imageSize` may have. */
  readonly imageSizes?: ImageSizes | undefined;
  /** Of embedding models: which values `dimensions` may have, and `default`, the length of a whole vector. */
  readonly vectorSizes?: { readonly default: number; readonly min: number; readonly max: number } | undefined;
  /** Of speech models. */
  readonly voices?: readonly Voice[] | undefined;
  /** Of transcription models: the languages that may be asked for (ISO 639-1); none where the model takes no language. */
  readonly languages?: readonly string[] | undefined;
  /** Names of those parameters of its category that it doesn't take. */
  readonly foreignParameters?: readonly string[] | undefined;
  /** Unix time in seconds at which the model files were made, or 0 where that is not known. */
  readonly created: number;
  readonly ownedBy: string;
}

/** Sizes of the longer side of an input, in pixels: multiples of `step` from `min` to `max`. */
export interface ImageSizes {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

export interface RunOptions {
  /** Aborting it ends the run before its next step; the iterator then throws `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A loaded model, ready to run requests. Lives in a worker process, or with `isolation: "inline"` in the host.
 * Failures are `InferenceError`s; leaving a `run` iterator early cancels that run.
 */
export interface Pipeline<C extends Category = Category> {
  readonly info: ModelInfo<C>;
  /** How many requests it can usefully have in hand at once; the engine queues the others. */
  readonly concurrency: number;
  run(request: Categories[C]['request'], options?: RunOptions): AsyncIterable<Categories[C]['event']>;
  close(): Promise<void>;
}

/** What computes the tensors. One that doesn't work on a machine makes loading fail; nothing falls back by itself. */
export type Device = 'cpu' | 'webgpu' | 'cuda' | 'dml' | 'coreml';

/** Which model to load and how; plain data, so that it can be sent to a worker process. */
export interface ModelSpec<C extends Category = Category> {
  readonly id: string;
  readonly category: C;
  /**
   * Name of a bundled model; path of a folder in the hub's ONNX layout; name in the catalogue; id on the hub, `org/name`
   * or `org/name@revision`; or `https://…` address of such a folder. Those on the network are downloaded when the model
   * is loaded, and kept.
   */
  readonly source: string;
  /** The server on which the model runs, as `remote` describes it; default: this machine. */
  readonly remote?: RemoteServer | undefined;
  /** Which of the model's weights are loaded; default `auto`: fp32, or else what is there. */
  readonly dtype?: Dtype | undefined;
  /** Where models come from and are kept; default: what the environment says. */
  readonly hub?: HubOptions | undefined;
  /** Display name; the id if left out. */
  readonly name?: string | undefined;
  /** Default `cpu`. */
  readonly device?: Device | undefined;
  /** Threads of one operator; default cores − 1, at least 1. */
  readonly threads?: number | undefined;
  /** Default: what the model's config says. */
  readonly contextLength?: number | undefined;
  /** Most sequences that are generated together in one batch; default 8. */
  readonly maxBatchSize?: number | undefined;
  /** How the model writes tool calls, such as `hermes`; default: what its chat template shows. */
  readonly toolCallFormat?: string | undefined;
  /** How the model marks its thinking, such as `think`; default: what its chat template shows. */
  readonly reasoningFormat?: string | undefined;
  /** How a detection model's outputs are laid out; default: what their names and shapes show. */
  readonly head?: HeadName | undefined;
  /** Names of a detection model's classes, or path of a text file with one on each line; default: what its files say. */
  readonly classNames?: string | readonly string[] | undefined;
  /** Which URLs of images are fetched; default: those on the public Internet, 20 MiB, 10 s. */
  readonly imageFetch?: FetchLimits | undefined;
  /**
   * How an embedding model's token vectors become one; default: what its config says, else `last-token` for decoders and
   * `mean` for others.
   */
  readonly pooling?: PoolingMode | undefined;
  /** Whether an embedding model's vectors are scaled to length 1; default true. */
  readonly normalize?: boolean | undefined;
  /** The lengths that an embedding model's vectors may be cut to, or `any`; default: what its config says, else none. */
  readonly matryoshkaDimensions?: readonly number[] | 'any' | undefined;
  /** Most tokens, padding included, that an embedding model computes in one run; default 4096. */
  readonly maxBatchTokens?: number | undefined;
  /** Whether an image model was trained to need no guidance, as Turbo models are; default: what its files say, else false. */
  readonly isDistilled?: boolean | undefined;
  /** Images of more pixels are refused: default 2²⁶ for those to look at, none for those to draw. */
  readonly maxPixels?: number | undefined;
  /** Longer audio is refused by a transcription model; default 4 hours. */
  readonly maxAudioSeconds?: number | undefined;
  /**
   * What tells a transcription model where nobody speaks, so that it need not listen there: `energy` (default), `none`,
   * or the path of a Silero VAD graph.
   */
  readonly voiceActivity?: string | undefined;
  /**
   * What tells a speech model how English is pronounced: `built-in`, or `espeak` from the package `phonemizer`; default:
   * what the model's config says, else `built-in`.
   */
  readonly phonemizer?: 'built-in' | 'espeak' | undefined;
  /** The program that decodes and encodes audio formats that nothing else here can; default `ffmpeg` on the PATH. */
  readonly ffmpegPath?: string | undefined;
}
