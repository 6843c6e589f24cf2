import type { Detector } from '../../../categories/detection/detector.ts';
import type { DetectionSettings } from '../../../categories/detection/settings.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import { transformersFiles as files } from '../files.ts';

/** OWL-ViT and OWLv2: each word is a query of its own. */
export const owl: Architecture<Detector, DetectionSettings> = {
  name: 'owl',
  modelTypes: ['owlvit', 'owlv2'],
  files,
  open: async (spec) => (await import('./open-word-detector.ts')).openOwl(spec),
};

/** Grounding DINO: all words in one prompt. */
export const groundingDino: Architecture<Detector, DetectionSettings> = {
  name: 'grounding-dino',
  modelTypes: ['grounding-dino'],
  files,
  open: async (spec) => (await import('./open-word-detector.ts')).openGroundingDino(spec),
};
