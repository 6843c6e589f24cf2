import { singleOrOnlyGraph, singleStems, type ModelFiles } from '../../models/model-files.ts';

/** The files of a detector. */
export const detectionFiles: ModelFiles = {
  small: ['config.json', 'preprocessor_config.json', '*.names'],
  stems: singleStems,
  graphs: (files, dtype) => [singleOrOnlyGraph(files, dtype)],
};
