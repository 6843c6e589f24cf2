import type { Size } from '../../core/vision/box.ts';
import type { Candidates } from '../../core/vision/candidates.ts';
import type { DecodeOptions } from '../../core/vision/heads/head.ts';
import type { Placement } from '../../core/vision/letterbox.ts';
import type { ImageSizes } from './events.ts';

/** An input of a model, and where the image is in it. */
export interface InputLayout {
  readonly input: Size;
  readonly placement: Placement;
}

/** One picture for a detector. */
export interface DetectorInput extends InputLayout {
  /** `[height × width × 3]` of the placement, red, green and blue from 0 to 255. */
  readonly pixels: Uint8Array;
  /** Names of the classes: those of the detector, or words that it is asked for. */
  readonly classNames: readonly string[];
}

/** Decodes outputs into candidates, in pixels of the input; whatever was in them is lost. */
export type DecodeOutputs = (
  candidates: Candidates,
  options: Omit<DecodeOptions, 'classCount'>,
) => Candidates;

/** A loaded model that finds objects: everything that the pipeline needs of it. */
export interface Detector {
  /** Class id → name; `undefined` for a detector that is asked in words. */
  readonly classNames: readonly string[] | undefined;
  /** The values that `imageSize` may have; `undefined` for a detector that chooses its size itself. */
  readonly imageSizes: ImageSizes | undefined;
  /** Whether its boxes are picked already, so that nothing needs to be suppressed. */
  readonly picksBoxes: boolean;
  /** Unix time in seconds of its files. */
  readonly created: number;
  /** @param longerSide one of `imageSizes`, in pixels; without effect where there are none */
  layOut(image: Size, longerSide: number): InputLayout;
  /** Runs the model. */
  run(input: DetectorInput, options: { readonly signal?: AbortSignal | undefined }): Promise<DecodeOutputs>;
  release(): Promise<void>;
}
