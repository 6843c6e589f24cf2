import { z } from 'zod';
import { detectionParameters } from '../parameters.ts';
import { parameterShape } from '../../../validation/parameter-schema.ts';

const longestFilter = 10_000;

/** The body of a detection request. */
export const detectRequestSchema = z.object({
  image: z.string().min(1, { error: 'expected base64 or a URL, got ""' }).meta({
    description:
      'An http or https URL, a data: URL, or base64 of a JPEG, PNG, WebP, GIF (its first frame), AVIF or TIFF. Transparent parts count as white.',
  }),
  model: z.string().nullish().meta({ description: 'Id of a detection model; default: the first one.' }),
  classes: z
    .string()
    .max(longestFilter)
    .nullish()
    .meta({ description: 'Names or ids of the classes to look for, separated by commas; default: all.' }),
  ...parameterShape(detectionParameters),
});

/** A checked body of `POST /detect`. */
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
