import type { Architecture } from '../../contracts/architecture.ts';
import { textEncoder } from './architectures/text/architecture.ts';
import type { Encoder } from './encoder.ts';
import type { EmbeddingSettings } from './settings.ts';

/** The encoders that run on graphs, one line each. */
export const encoders: readonly Architecture<Encoder, EmbeddingSettings>[] = [textEncoder];
