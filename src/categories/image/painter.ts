import type { Limiter } from '../../concurrency/limit-concurrency.ts';
import type { ImageRequest } from './request.ts';

export interface Painter {
  /** Max tokens of a prompt. */
  readonly contextLength: number;
  /** Unix time in seconds. */
  readonly created: number;
  prepare(request: ImageRequest, options: PaintOptions): Promise<Painting>;
  release(): Promise<void>;
}

export interface PaintOptions {
  /** Runs each piece of work; its error ends the request. */
  readonly inTurn: Limiter;
  readonly signal: AbortSignal | undefined;
}

/** A prepared request; `draw` may run any number of times. */
export interface Painting {
  /** Class name, such as `EulerDiscreteScheduler`. */
  readonly scheduler: string;
  /** The effective scale; 1 without guidance. */
  readonly guidanceScale: number;
  /** Generates one image: every step, then its pixels. */
  draw(seed: number): AsyncGenerator<PaintedStep | PaintedPixels>;
}

export interface PaintedStep {
  /** 1 to `steps`. */
  readonly step: number;
  readonly steps: number;
  /** A small PNG, if requested and supported by the model. */
  readonly preview?: Uint8Array | undefined;
}

/** `[height × width × 3]` */
export interface PaintedPixels {
  readonly pixels: Uint8ClampedArray;
}
