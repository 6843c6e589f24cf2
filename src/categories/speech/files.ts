import { singleGraph, singleStems, type ModelFiles } from '../../models/model-files.ts';

/** The files of a Kokoro. */
export const speechFiles: ModelFiles = {
  small: ['config.json', 'tokenizer.json', 'voices/*.bin'],
  stems: singleStems,
  graphs: (files, dtype) => [singleGraph(files, dtype)],
};
