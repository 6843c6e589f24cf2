import type { ModelInfo } from '../../contracts/model.ts';
/** Events of image generation, in order; one `image` event per image. */
export type ImageEvent =
  | {
      readonly type: 'image-step';
      /** Index of the image, from 0. */
      readonly image: number;
      /** 1 to `steps`. */
      readonly step: number;
      readonly steps: number;
      /** A small PNG. */
      readonly preview?: Uint8Array | undefined;
    }
  | {
      readonly type: 'image';
      readonly image: number;
      /** Its metadata contains the parameters. */
      readonly png: Uint8Array;
      readonly seed: number;
    };

/** Facts about a loaded image model. */
export interface ImageModelInfo extends ModelInfo {
  readonly category: 'image';
}
