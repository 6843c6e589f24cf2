import type { ParameterTable, ParameterValues } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of a detection request, except `classes`, a list of the model's class names. */
export const detectionParameters = {
  confidence: {
    type: 'float',
    min: 0.01,
    max: 1,
    default: 0.25,
    step: 0.01,
    section: 'basic',
    description: 'Minimum score of returned detections.',
  },
  iouThreshold: {
    type: 'float',
    min: 0.1,
    max: 1,
    default: 0.45,
    step: 0.05,
    section: 'advanced',
    description:
      'Of two boxes of one class that overlap by more than this (intersection over union), only the better is returned. Models that need no suppression apply it only if it is set.',
  },
  maxDetections: {
    type: 'int',
    min: 1,
    max: 300,
    default: 100,
    step: 1,
    section: 'basic',
    description: 'Maximum number of detections returned, best first.',
  },
  imageSize: {
    type: 'int',
    min: 320,
    max: 1280,
    default: 640,
    step: 32,
    section: 'advanced',
    description:
      "Longer side of the model's input image, in pixels; larger is slower and more accurate. Rounded up to the model's stride; a model with a fixed size accepts only that size.",
  },
} as const satisfies ParameterTable;

/** The values of `detectionParameters`. */
export type DetectionParameters = ParameterValues<typeof detectionParameters>;
