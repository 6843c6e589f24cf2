import type { DetectionResult } from '../events.ts';
import type { DetectResponse } from './schema.ts';

/**
 * The objects in an image → the body of the answer. Scores keep four decimals, coordinates two.
 *
 * @example
 * ```ts
 * toDetectResponse({ detections: [], image: { width: 640, height: 480 } }, 'tiny-detect').detections; // []
 * ```
 */
export function toDetectResponse({ detections, image }: DetectionResult, model: string): DetectResponse {
  return {
    detections: detections.map(({ className, classId, confidence, box }) => ({
      class_name: className,
      class_id: classId,
      confidence: rounded(confidence, 4),
      box: { x1: rounded(box.x1, 2), y1: rounded(box.y1, 2), x2: rounded(box.x2, 2), y2: rounded(box.y2, 2) },
    })),
    image: { width: image.width, height: image.height },
    model,
  };
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
