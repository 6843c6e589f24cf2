import type { CategoryModels } from '../../contracts/category.ts';
import { encoders } from './architectures.ts';

export const embeddingModels = {
  name: 'embedding',
  architectures: encoders,
  isStateless: true,
} satisfies CategoryModels<'embedding'>;
