import { detectionParameters } from '../parameters.ts';
import type { DetectionRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { detectRequestSchema } from './schema.ts';

/** The parsed request; the service chooses a model where it names none. */
export type DetectCall = Omit<DetectionRequestInput, 'model'> & { readonly model: string | undefined };

const readParameters = parameterReader(detectionParameters);

/**
 * A request body of `POST /detect` → what the inference takes.
 *
 * @throws InferenceError `invalid_request` with the place of the first fault as `param`
 *
 * @example
 * ```ts
 * fromDetectRequest({ image: 'https://example.com/bus.jpg', max_detections: 5 }).maxDetections; // 5
 * ```
 */
export function fromDetectRequest(body: unknown): DetectCall {
  const parsed = parseBody(detectRequestSchema, body);
  return {
    ...readParameters(parsed),
    model: parsed.model ?? undefined,
    image: parsed.image,
    classes: parsed.classes ?? undefined,
  };
}
