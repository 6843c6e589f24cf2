import type { CategoryModels, Companions } from '../../contracts/category.ts';
import { oneGraph, singleOrOnlyGraph } from '../../folder/model-files.ts';
import { recognizers } from './architectures.ts';

const diarizationModels: Companions = {
  setting: 'diarization',
  fields: ['segmentation', 'embedding'],
  files: oneGraph(['config.json'], singleOrOnlyGraph),
};

export const transcriptionModels = {
  name: 'transcription',
  architectures: recognizers,
  companions: diarizationModels,
  isStateless: false,
} satisfies CategoryModels<'transcription'>;
