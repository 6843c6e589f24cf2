import type { CategoryModels } from '../../contracts/category.ts';
import type { Architecture } from '../../contracts/architecture.ts';
import { crossEncoder } from './architectures/cross-encoder/architecture.ts';
import type { Scorer } from './scorer.ts';
import type { RerankSettings } from './settings.ts';

export const scorers: readonly Architecture<Scorer, RerankSettings>[] = [crossEncoder];

export const rerankModels = {
  name: 'rerank',
  architectures: scorers,
  isStateless: true,
} satisfies CategoryModels<'rerank'>;
