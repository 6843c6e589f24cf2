import type { BackendDefinition } from '../../contracts/backend.ts';
import { transformersArchitectures } from './architectures.ts';
import { transformersFiles } from './files.ts';
import type { TransformersBackend } from './settings.ts';

const categories: ReadonlySet<string> = new Set([
  'chat',
  'transcription',
  'speech',
  'detection',
  'embedding',
]);

/**
 * The package `@huggingface/transformers` in a worker process of this machine: for architectures that the built-in
 * pipelines don't support. The package is an optional peer dependency, so it has to be installed separately.
 *
 * Chat runs one request at a time; samplers, grammars, stop sequences, seeds and tool calls work as with every model.
 *
 * @example
 * ```ts
 * import { chat, transcription } from 'slashv1';
 * import { transformers } from 'slashv1/transformers';
 *
 * chat({ source: 'Xenova/flan-t5-small', backend: transformers() });
 * transcription({ source: 'onnx-community/moonshine-base-ONNX', backend: transformers() });
 * ```
 */
export function transformers(options: Omit<TransformersBackend, 'kind'> = {}): TransformersBackend {
  return { ...options, kind: 'transformers' };
}

/** Runs all models of `@huggingface/transformers`, except image generation and reranking. */
export const transformersDefinition: BackendDefinition = {
  kind: 'transformers',
  spelling: 'transformers()',
  place: 'worker',
  foreignSettings: [
    'maxBatchSize',
    'optimize',
    'int8Activations',
    'speculation',
    'prefill',
    'head',
    'conditionOnPrevious',
    'phonemizer',
  ],
  architectures: transformersArchitectures,
  files: transformersFiles,
  runs: ({ name }) => categories.has(name),
  open: async () => (await import('./open.ts')).openTransformers(),
};
