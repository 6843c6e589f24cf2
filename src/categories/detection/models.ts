import type { CategoryModels } from '../../contracts/category.ts';
import type { Architecture } from '../../contracts/architecture.ts';
import { graphDetector } from './architectures/graph/architecture.ts';
import type { Detector } from './detector.ts';
import type { DetectionSettings } from './settings.ts';

export const detectors: readonly Architecture<Detector, DetectionSettings>[] = [graphDetector];

export const detectionModels = {
  name: 'detection',
  architectures: detectors,
  isStateless: true,
} satisfies CategoryModels<'detection'>;
