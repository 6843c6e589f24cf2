import type { ModelSpec } from '../contracts/model.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import { kserveDefinition } from './kserve/backend.ts';
import type { GraphServer } from './kserve/server.ts';
import { llamaDefinition } from './llama/backend.ts';
import type { LlamaBackend } from './llama/settings.ts';
import { onnxDefinition, type OnnxBackend } from './onnx/backend.ts';
import { openaiDefinition } from './openai/backend.ts';
import type { ApiServer } from './openai/server.ts';
import { transformersDefinition } from './transformers/backend.ts';
import type { TransformersBackend } from './transformers/settings.ts';

/** A backend with its settings. */
export type AnyBackend = OnnxBackend | LlamaBackend | TransformersBackend | ApiServer | GraphServer;

/** All backends, one line each; the first is the default. */
export const backends = [
  onnxDefinition,
  llamaDefinition,
  transformersDefinition,
  openaiDefinition,
  kserveDefinition,
] as const;

/** The backend of a model; without a setting, the source determines it. */
export function backendOf({
  backend,
  source,
}: Pick<ModelSpec, 'backend' | 'source'>): BackendDefinition | undefined {
  if (backend !== undefined) return backends.find(({ kind }) => kind === backend.kind);
  const all: readonly BackendDefinition[] = backends;
  return all.find(({ ownsSource }) => ownsSource?.(source)) ?? backends[0];
}
