import type { CategoryModels } from '../../contracts/category.ts';
import type { Architecture } from '../../contracts/architecture.ts';
import { textEncoder } from './architectures/text/architecture.ts';
import type { Encoder } from './encoder.ts';
import type { EmbeddingSettings } from './settings.ts';

export const encoders: readonly Architecture<Encoder, EmbeddingSettings>[] = [textEncoder];

export const embeddingModels = {
  name: 'embedding',
  architectures: encoders,
  isStateless: true,
} satisfies CategoryModels<'embedding'>;
