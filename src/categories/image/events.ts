import type { ModelInfo } from '../../contracts/model.ts';
/** Events while images are generated, in order; every image comes once. */
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

/** Facts about a loaded image model. */
export interface ImageModelInfo extends ModelInfo {
  readonly category: 'image';
}
