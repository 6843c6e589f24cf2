import type { Architecture } from '../../contracts/architecture.ts';
import { crossEncoder } from './architectures/cross-encoder/architecture.ts';
import type { Scorer } from './scorer.ts';
import type { RerankSettings } from './settings.ts';

/** Scorers that run on graphs, one per line. */
export const scorers: readonly Architecture<Scorer, RerankSettings>[] = [crossEncoder];
