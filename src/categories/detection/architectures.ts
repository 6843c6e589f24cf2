import type { Architecture } from '../../contracts/architecture.ts';
import { graphDetector } from './architectures/graph/architecture.ts';
import type { Detector } from './detector.ts';
import type { DetectionSettings } from './settings.ts';

/** Detectors that run on graphs, one per line. */
export const detectors: readonly Architecture<Detector, DetectionSettings>[] = [graphDetector];
