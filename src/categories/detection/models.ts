import type { CategoryModels } from '../../contracts/category.ts';
import { detectors } from './architectures.ts';

export const detectionModels = {
  name: 'detection',
  architectures: detectors,
  isStateless: true,
} satisfies CategoryModels<'detection'>;
