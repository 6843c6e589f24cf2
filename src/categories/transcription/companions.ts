import type { Companions } from '../../contracts/category.ts';
import { singleOrOnlyGraph, singleStems } from '../../folder/model-files.ts';

/** The models that tell speakers apart: each has one graph. */
export const diarizationModels: Companions = {
  setting: 'diarization',
  fields: ['segmentation', 'embedding'],
  files: {
    small: ['config.json'],
    stems: singleStems,
    graphs: (files, dtype) => [singleOrOnlyGraph(files, dtype)],
  },
};
