import type { CategoryModels } from '../../contracts/category.ts';
import { painters } from './architectures.ts';

export const imageModels = {
  name: 'image',
  architectures: painters,
  isStateless: true,
} satisfies CategoryModels<'image'>;
