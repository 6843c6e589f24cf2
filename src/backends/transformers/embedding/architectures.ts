import type { Encoder } from '../../../categories/embedding/encoder.ts';
import type { EmbeddingSettings } from '../../../categories/embedding/settings.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import { transformersFiles as files } from '../files.ts';

/** CLIP. */
export const clip: Architecture<Encoder, EmbeddingSettings> = {
  name: 'clip',
  modelTypes: ['clip'],
  files,
  open: async (spec) => (await import('./open-paired-encoder.ts')).openPairedEncoder(spec, 'CLIP'),
};

/** SigLIP and SigLIP 2. */
export const siglip: Architecture<Encoder, EmbeddingSettings> = {
  name: 'siglip',
  modelTypes: ['siglip', 'siglip2'],
  files,
  open: async (spec) => (await import('./open-paired-encoder.ts')).openPairedEncoder(spec, 'Siglip'),
};

/** Jina CLIP. */
export const jinaClip: Architecture<Encoder, EmbeddingSettings> = {
  name: 'jina-clip',
  modelTypes: ['jina_clip'],
  files,
  open: async (spec) => (await import('./open-paired-encoder.ts')).openPairedEncoder(spec, 'JinaCLIP'),
};
