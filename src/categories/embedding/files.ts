import { singleGraph, singleStems, textFiles, type ModelFiles } from '../../models/model-files.ts';

/** The files of an encoder, those of sentence-transformers included. */
export const embeddingFiles: ModelFiles = {
  small: [
    ...textFiles,
    'modules.json',
    'config_sentence_transformers.json',
    'sentence_bert_config.json',
    '*_Pooling/config.json',
  ],
  stems: singleStems,
  graphs: (files, dtype) => [singleGraph(files, dtype)],
};
