import type { CategoryModels } from '../../contracts/category.ts';
import { scorers } from './architectures.ts';

export const rerankModels = {
  name: 'rerank',
  architectures: scorers,
  isStateless: true,
} satisfies CategoryModels<'rerank'>;
