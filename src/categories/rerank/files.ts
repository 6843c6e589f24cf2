import { singleGraph, singleStems, textFiles, type ModelFiles } from '../../models/model-files.ts';

/** The files of a cross-encoder. */
export const rerankFiles: ModelFiles = {
  small: textFiles,
  stems: singleStems,
  graphs: (files, dtype) => [singleGraph(files, dtype)],
};
