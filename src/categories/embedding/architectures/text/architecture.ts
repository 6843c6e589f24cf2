import type { Architecture } from '../../../../contracts/architecture.ts';
import { oneGraph, textFiles } from '../../../../folder/model-files.ts';
import type { Encoder } from '../../encoder.ts';
import type { EmbeddingSettings } from '../../settings.ts';

const types = [
  'albert',
  'bert',
  'camembert',
  'convbert',
  'deberta',
  'deberta-v2',
  'distilbert',
  'electra',
  'esm',
  'eurobert',
  'gte',
  'mobilebert',
  'modernbert',
  'mpnet',
  'new',
  'nomic_bert',
  'roberta',
  'roformer',
  'squeezebert',
  'xlm',
  'xlm-roberta',
];

/** A text encoder or decoder, with or without sentence-transformers config files, or in a GGUF file. */
export const textEncoder: Architecture<Encoder, EmbeddingSettings> = {
  name: 'text-encoder',
  modelTypes: [],
  sharedModelTypes: types,
  recognize: ({ files, config: { model_type: type, architectures } }) =>
    files.some(({ path }) => /^modules\.json$|_Pooling\/config\.json$/.test(path)) ||
    (types.includes(String(type)) &&
      !/ForSequenceClassification|ForTokenClassification/.test(String(architectures))),
  isDefault: true,
  files: oneGraph([
    ...textFiles,
    'modules.json',
    'config_sentence_transformers.json',
    'sentence_bert_config.json',
    '*_Pooling/config.json',
  ]),
  open: async (spec, sessions) => (await import('./open-text-encoder.ts')).openTextEncoder(spec, sessions),
};
