import type { ModelCategory } from '../models/model-files.ts';

/** What tells the category of a model. */
export interface CategoryEvidence {
  readonly files: readonly { readonly path: string }[];
  readJson(path: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

const detectorFamilies = /^(?:yolo|.*detr|d[-_]fine)/;
const encoderFamilies =
  /^(?:bert|distilbert|roberta|xlm-roberta|mpnet|nomic_bert|modernbert|camembert|electra|deberta.*|new|gte|albert)$/;

/**
 * Finds out from its small files what a model does.
 *
 * @returns `undefined` where they don't show it
 */
export async function detectCategory({
  files,
  readJson,
}: CategoryEvidence): Promise<ModelCategory | undefined> {
  const has = (pattern: RegExp): boolean => files.some(({ path }) => pattern.test(path));
  if (has(/^model_index\.json$/)) return 'image';
  const config = (await readJson('config.json')) ?? {};
  const family = String(config['model_type'] ?? '');
  const architectures = Array.isArray(config['architectures']) ? config['architectures'].map(String) : [];
  const isBuiltFor = (pattern: RegExp): boolean => architectures.some((name) => pattern.test(name));
  if (family === 'whisper' || isBuiltFor(/^Whisper/)) return 'transcription';
  if (family === 'style_text_to_speech_2' || has(/^voices\/.+\.bin$/)) return 'speech';
  if (isBuiltFor(/ForObjectDetection$/) || detectorFamilies.test(family) || has(/^[^/]+\.names$/)) {
    return 'detection';
  }
  // Before causal language models: some of them are trained to embed.
  if (has(/^modules\.json$/) || has(/_Pooling\/config\.json$/) || encoderFamilies.test(family))
    return 'embedding';
  return isBuiltFor(/(?:ForCausalLM|LMHeadModel|ForConditionalGeneration)$/) ? 'chat' : undefined;
}
