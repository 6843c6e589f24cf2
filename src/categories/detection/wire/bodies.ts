import { z } from 'zod';
import { rounded } from '../../../core/math/numeric.ts';
import { detectionParameters } from '../parameters.ts';
import { parameterShape, textField } from '../../../validation/parameter-schema.ts';
import { parameterReader } from '../../../validation/request-table.ts';
import type { DetectionRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import {
  each,
  harmless,
  ignoredFields,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';
import type { DetectionResult } from '../events.ts';
import type { Descriptions } from '../../../validation/describe-fields.ts';

const maxFilterLength = 10_000;

/** The body of a detection request. */
export const detectRequestSchema = z.object({
  image: z.string().min(1, { error: 'expected base64 or a URL, got ""' }).meta({
    description:
      'An http or https URL, a data: URL, or base64 of a JPEG, PNG, WebP, GIF (its first frame), AVIF or TIFF. Transparent parts count as white.',
  }),
  model: textField('Id of a detection model; default: the first one.'),
  classes: z
    .string()
    .max(maxFilterLength)
    .nullish()
    .meta({ description: 'Names or ids of the classes to look for, separated by commas; default: all.' }),
  ...parameterShape(detectionParameters),
});

/** A validated body of `POST /detect`. */
export type DetectRequestBody = z.infer<typeof detectRequestSchema>;

const pixels = z.number().meta({ description: 'Pixels of the original image.' });

/** The body of an answer. */
export const detectResponseSchema = z.object({
  detections: z
    .array(
      z.object({
        class_name: z.string(),
        class_id: z.int(),
        confidence: z.number(),
        box: z.object({ x1: pixels, y1: pixels, x2: pixels, y2: pixels }),
      }),
    )
    .meta({ description: 'Best first.' }),
  image: z
    .object({ width: z.int(), height: z.int() })
    .meta({ description: 'Size of the image in pixels, its EXIF orientation applied.' }),
  model: z.string(),
});

/** The body of an answer. */
export type DetectResponse = z.infer<typeof detectResponseSchema>;

/** The parsed request; without `model`, the service chooses one. */
export type DetectCall = Omit<DetectionRequestInput, 'model'> & { readonly model: string | undefined };

const readParameters = parameterReader(detectionParameters);

/** Fields of popular servers and libraries that would change the answer. */
export const detectionForeignFields: ForeignFields = {
  ...each('source inputs image_url', { as: 'image' }),
  ...each('conf conf_thres confidence_threshold score_threshold threshold', { as: 'confidence' }),
  ...each('iou iou_thres nms_threshold', { as: 'iou_threshold' }),
  max_det: { as: 'max_detections' },
  ...each('imgsz img_size', { as: 'image_size' }),
  class_filter: { advice: 'use `classes`' },
  ...each('prompt labels candidate_labels', { advice: "use `classes`, names or ids of the model's classes" }),
  parameters: { ...harmless({}), advice: 'set its fields next to `image`, such as `confidence`' },
  ...each('agnostic_nms class_agnostic_nms', {
    ...harmless(false),
    advice: 'only boxes of one class suppress each other',
  }),
  ...each('augment retina_masks', harmless(false)),
  ...each('points boxes'),
  ...ignoredFields('user half device batch rect verbose'),
};

/**
 * A request body of `POST /detect` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the first invalid field as `param`
 * @example
 * ```ts
 * fromDetectRequest({ image: 'https://example.com/bus.jpg', max_detections: 5 }).maxDetections; // 5
 * ```
 */
export function fromDetectRequest(body: unknown): DetectCall {
  return readForeign(detectionForeignFields, body, (own) => {
    const parsed = parseBody(detectRequestSchema, own);
    return {
      ...readParameters(parsed),
      model: parsed.model ?? undefined,
      image: parsed.image,
      classes: parsed.classes ?? undefined,
    };
  });
}

/**
 * The objects in an image → the response body. Scores keep four decimals, coordinates two.
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

export const detectionDescriptions: Descriptions = {
  class_name: 'Name of the class, such as `dog`.',
  class_id: 'Number of the class in the model, from 0.',
  confidence: 'Score of the object, 0 to 1, with four decimals.',
  box: 'Corners of the object: `x1`, `y1` at the top left, `x2`, `y2` at the bottom right.',
  width: 'Width in pixels.',
  height: 'Height in pixels.',
};
