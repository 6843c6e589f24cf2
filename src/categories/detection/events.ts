import type { ModelInfo } from '../../contracts/model.ts';
import type { Box, Size } from '../../core/vision/box.ts';

/** One object in an image. */
export interface Detection {
  readonly className: string;
  readonly classId: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** In pixels of the image, its EXIF orientation applied; clipped to its edges. */
  readonly box: Box;
}

/** The objects in an image. */
export interface DetectionResult {
  /** Best first. */
  readonly detections: readonly Detection[];
  /** Size of the image, its EXIF orientation applied. */
  readonly image: Size;
}

/** The only event of a detection request. */
export type DetectionEvent = { readonly type: 'detections' } & DetectionResult;

/** Sizes of the longer side of an input, in pixels: multiples of `step` from `min` to `max`. */
export interface ImageSizes {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

export interface DetectionModelInfo extends ModelInfo {
  readonly category: 'detection';
  /** Allowed values of `imageSize`. */
  readonly imageSizes?: ImageSizes | undefined;
}
