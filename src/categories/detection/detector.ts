import type { Size } from '../../core/vision/box.ts';
import type { Candidates } from '../../core/vision/candidates.ts';
import type { DecodeOptions } from '../../core/vision/heads/head.ts';
import type { Placement } from '../../core/vision/letterbox.ts';
import type { ImageSizes } from './events.ts';

/** An input size and the image's placement in it. */
export interface InputLayout {
  readonly input: Size;
  readonly placement: Placement;
}

export interface DetectorInput extends InputLayout {
  /** `[height × width × 3]` of the placement, red, green and blue from 0 to 255. */
  readonly pixels: Uint8Array;
  /** The detector's classes, or the requested words. */
  readonly classNames: readonly string[];
}

/** Overwrites `candidates`, in pixels of the input. */
export type DecodeOutputs = (
  candidates: Candidates,
  options: Omit<DecodeOptions, 'classCount'>,
) => Candidates;

export interface Detector {
  /** Class id → name; `undefined` for a detector that takes words. */
  readonly classNames: readonly string[] | undefined;
  /** Allowed values of `imageSize`; `undefined` if the detector chooses the size. */
  readonly imageSizes: ImageSizes | undefined;
  /** Its boxes need no suppression. */
  readonly picksBoxes: boolean;
  /** Unix time in seconds. */
  readonly created: number;
  /** @param longerSide one of `imageSizes`, in pixels; ignored without `imageSizes` */
  layOut(image: Size, longerSide: number): InputLayout;
  run(input: DetectorInput, options: { readonly signal?: AbortSignal | undefined }): Promise<DecodeOutputs>;
  release(): Promise<void>;
}
