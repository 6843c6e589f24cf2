import type { ModelOptions } from '../../contracts/model.ts';
import type { DetectionSettings } from './settings.ts';

/** Settings of a detection model and its limits. */
export type DetectionOptions = Omit<ModelOptions<DetectionSettings>, 'category'>;

/**
 * Describes an object detection model: a YOLO or a model of the DETR family as an ONNX graph, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { detector: detection({ source: './models/yolo11n', threads: 4 }) } });
 * ```
 */
export function detection(
  options: DetectionOptions,
): ModelOptions<DetectionSettings> & { readonly category: 'detection' } {
  return { ...options, category: 'detection' };
}
