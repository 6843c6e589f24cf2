import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The lists of `@huggingface/transformers` whose models belong to a category. */
const lists = {
  chat: ['MODEL_FOR_CAUSAL_LM_MAPPING_NAMES', 'MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES'],
  transcription: ['MODEL_FOR_CTC_MAPPING_NAMES', 'MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES'],
  speech: ['MODEL_FOR_TEXT_TO_SPECTROGRAM_MAPPING_NAMES', 'MODEL_FOR_TEXT_TO_WAVEFORM_MAPPING_NAMES'],
  detection: [
    'MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES',
    'MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES',
  ],
  embedding: ['MODEL_FOR_MASKED_LM_MAPPING_NAMES', 'MODEL_FOR_IMAGE_FEATURE_EXTRACTION_MAPPING_NAMES'],
} as const;

/** The name of a category whose architectures the package lists. */
export type ListedCategory = keyof typeof lists;

/** The architectures that the package's registries have for each category, by `model_type`. */
export function readRegistries(): Readonly<Record<ListedCategory, readonly string[]>> {
  const entry = createRequire(import.meta.url).resolve('@huggingface/transformers');
  const source = readFileSync(join(dirname(entry), '../src/models/registry.js'), 'utf8');
  const read = (name: string): string[] => {
    const [, body] = new RegExp(`const ${name} = new Map\\(\\[([^;]*)\\]\\);`).exec(source)!;
    return [...body!.matchAll(/\['([^']+)', '[^']+'\]/g)].map((match) => match[1]!);
  };
  return Object.fromEntries(
    Object.entries(lists).map(([category, names]) => [category, [...new Set(names.flatMap(read))].sort()]),
  ) as Record<ListedCategory, string[]>;
}
