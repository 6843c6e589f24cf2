import type { Limiter } from '../../concurrency/limit-concurrency.ts';
import type { ImageRequest } from './request.ts';

/** A model that draws, as an architecture opens it. */
export interface Painter {
  /** Tokens of the longest prompt. */
  readonly contextLength: number;
  /** Unix time in seconds of its files. */
  readonly created: number;
  /** Reads the prompts of a request. */
  prepare(request: ImageRequest, options: PaintOptions): Promise<Painting>;
  release(): Promise<void>;
}

/** The surroundings in which a request is drawn. */
export interface PaintOptions {
  /** Runs each piece of work; its error ends the request. */
  readonly inTurn: Limiter;
  readonly signal: AbortSignal | undefined;
}

/** A request that is ready to be drawn, any number of times. */
export interface Painting {
  /** Class name, such as `EulerDiscreteScheduler`. */
  readonly scheduler: string;
  /** The scale that acts; 1 without guidance. */
  readonly guidanceScale: number;
  /** Draws one image: every step, and its pixels at the end. */
  draw(seed: number): AsyncGenerator<PaintedStep | PaintedPixels>;
}

/** The state of an image after a step. */
export interface PaintedStep {
  /** Counts from 1. */
  readonly step: number;
  readonly steps: number;
  /** A small PNG, where the request asks for previews and the model can make them. */
  readonly preview?: Uint8Array | undefined;
}

/** `[height × width × 3]` */
export interface PaintedPixels {
  readonly pixels: Uint8ClampedArray;
}
