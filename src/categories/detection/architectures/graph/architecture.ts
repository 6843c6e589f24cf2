import type { Architecture } from '../../../../contracts/architecture.ts';
import { hasClass, oneGraph, singleOrOnlyGraph } from '../../../../folder/model-files.ts';
import type { Detector } from '../../detector.ts';
import type { DetectionSettings } from '../../settings.ts';

const families = /^(?:yolo|.*detr|d[-_]fine)/;

/** YOLO and DETR families: one graph, decoded by a head. */
export const graphDetector: Architecture<Detector, DetectionSettings> = {
  name: 'detector',
  modelTypes: ['d_fine', 'detr', 'rf_detr', 'rt_detr', 'rt_detr_v2', 'table-transformer', 'yolos'],
  recognize: ({ files, config }) =>
    hasClass(config, /ForObjectDetection$/) ||
    families.test(String(config['model_type'] ?? '')) ||
    files.some(({ path }) => /^[^/]+\.names$/.test(path)),
  isDefault: true,
  files: oneGraph(['config.json', 'preprocessor_config.json', '*.names'], singleOrOnlyGraph),
  open: async (spec, sessions) => (await import('./graph-detector.ts')).openGraphDetector(spec, sessions),
};
