import type { PixelFormat } from '../input-tensor.ts';

/** Preprocessing of images. */
export interface Preprocessing {
  readonly format: PixelFormat;
  /** `stretch` fills the input with the image; the others pad it. */
  readonly fit: 'letterbox-center' | 'letterbox-start' | 'stretch';
}

/** Values from 0 to 1. */
export const plainPixels: PixelFormat = {
  channelOrder: 'rgb',
  scale: 1 / 255,
  mean: [0, 0, 0],
  deviation: [1, 1, 1],
  padding: 114,
};

/** Preprocessing of heads that name no other. */
export const usualPreprocessing: Preprocessing = { fit: 'letterbox-center', format: plainPixels };
