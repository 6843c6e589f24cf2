import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import { resultOf } from '../result-of.ts';
import type { DetectionEvent, DetectionModelInfo, DetectionResult } from './events.ts';
import { detectionModels } from './models.ts';
import { detectionParameters } from './parameters.ts';
import { completeDetectionRequest, type DetectionRequest, type DetectionRequestInput } from './request.ts';
import { detectionSettings } from './settings.ts';
import { detectionDescriptions } from './wire/bodies.ts';
import { detect } from './wire/endpoint.ts';

export interface DetectionMethods {
  /** Finds the objects in an image. */
  detect(request: DetectionRequestInput, options?: CallOptions): Promise<DetectionResult>;
}

/** A grey JPEG of 8 × 8 pixels. */
const smallPicture =
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAAIAAgDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AAA//2Q==';

export const detectionCategory: CategoryDefinition<
  'detection',
  DetectionRequestInput,
  DetectionRequest,
  DetectionEvent,
  DetectionModelInfo,
  typeof detectionSettings,
  DetectionMethods
> = {
  ...detectionModels,
  parameters: detectionParameters,
  settings: detectionSettings,
  descriptions: detectionDescriptions,
  endpoints: [detect],
  sample: { path: 'detect', body: { image: 'https://example.com/photo.jpg' } },
  warmUp: { image: smallPicture },
  parameterBounds: ({ imageSizes }) => (imageSizes ? { imageSize: imageSizes } : {}),
  methods: (run) => ({ detect: (request, options) => resultOf(run(request, options)) }),
  complete: completeDetectionRequest,
  isOutput: () => true,
  tally({ detections }, { usage }) {
    usage.detections = detections.length;
  },
  telemetry: { operation: 'detect_objects' },
};
