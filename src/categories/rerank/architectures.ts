import type { Architecture } from '../../contracts/architecture.ts';
import { crossEncoder } from './architectures/cross-encoder/architecture.ts';
import type { Scorer } from './scorer.ts';
import type { RerankSettings } from './settings.ts';

/** The models that score pairs of texts, one line each. */
export const scorers: readonly Architecture<Scorer, RerankSettings>[] = [crossEncoder];
