import type { CategoryModels } from '../contracts/category.ts';
import { chatModels } from './chat/models.ts';
import { detectionModels } from './detection/models.ts';
import { embeddingModels } from './embedding/models.ts';
import { imageModels } from './image/models.ts';
import { rerankModels } from './rerank/models.ts';
import { speechModels } from './speech/models.ts';
import { transcriptionModels } from './transcription/models.ts';

/**
 * The models of all categories, one line each. A model whose category nobody says belongs to the first that recognizes its
 * files: encoders and causal language models, of which others are made too, come late.
 */
const all: readonly CategoryModels<string, never>[] = [
  imageModels,
  transcriptionModels,
  speechModels,
  detectionModels,
  rerankModels,
  embeddingModels,
  chatModels,
];

export const categoryModels: ReadonlyMap<string, CategoryModels> = new Map(
  all.map((models) => [models.name, models as CategoryModels]),
);
