import type { CategoryModels } from '../../contracts/category.ts';
import { synthesizers } from './architectures.ts';

export const speechModels = {
  name: 'speech',
  architectures: synthesizers,
  isStateless: false,
} satisfies CategoryModels<'speech'>;
