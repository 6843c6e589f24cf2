import type { CategoryModels, Companions } from '../../contracts/category.ts';
import { singleOrOnlyGraph, singleStems } from '../../folder/model-files.ts';
import { recognizers } from './architectures.ts';

/** The models that tell speakers apart: each has one graph. */
const diarizationModels: Companions = {
  setting: 'diarization',
  fields: ['segmentation', 'embedding'],
  files: {
    small: ['config.json'],
    stems: singleStems,
    graphs: (files, dtype) => [singleOrOnlyGraph(files, dtype)],
  },
};

export const transcriptionModels = {
  name: 'transcription',
  architectures: recognizers,
  companions: diarizationModels,
  isStateless: false,
} satisfies CategoryModels<'transcription'>;
