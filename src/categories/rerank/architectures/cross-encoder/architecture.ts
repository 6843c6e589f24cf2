import type { Architecture } from '../../../../contracts/architecture.ts';
import { hasClass, oneGraph, textFiles } from '../../../../folder/model-files.ts';
import type { Scorer } from '../../scorer.ts';
import type { RerankSettings } from '../../settings.ts';

/** Names of two labels, the second meaning relevant. */
const twoLabels = /^(?:LABEL_[01]|not.?relevant|relevant|irrelevant|no|yes)$/i;

/** A cross-encoder in Hugging Face's ONNX layout, or in a GGUF file. */
export const crossEncoder: Architecture<Scorer, RerankSettings> = {
  name: 'cross-encoder',
  modelTypes: [],
  recognize({ config }) {
    if (!hasClass(config, /ForSequenceClassification$/)) return false;
    const labels = Object.values((config['id2label'] ?? { 0: 'LABEL_0', 1: 'LABEL_1' }) as object).map(
      String,
    );
    return labels.length === 1 || (labels.length === 2 && labels.every((label) => twoLabels.test(label)));
  },
  isDefault: true,
  files: oneGraph(textFiles),
  open: async (spec, sessions) => (await import('./open-cross-encoder.ts')).openCrossEncoder(spec, sessions),
};
