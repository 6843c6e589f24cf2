import type { Architecture } from '../../contracts/architecture.ts';
import { crossEncoder } from './architectures/cross-encoder/architecture.ts';
import type { Scorer } from './scorer.ts';
import type { RerankSettings } from './settings.ts';

export const scorers: readonly Architecture<Scorer, RerankSettings>[] = [crossEncoder];
