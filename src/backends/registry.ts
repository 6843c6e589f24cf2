import type { BackendDefinition } from './contract.ts';
import { kserveDefinition } from './kserve/backend.ts';
import type { GraphServer } from './kserve/server.ts';
import { onnxDefinition, type OnnxBackend } from './onnx/backend.ts';
import { openaiDefinition } from './openai/backend.ts';
import type { ApiServer } from './openai/server.ts';

/** By what a model runs, with the settings of that. */
export type AnyBackend = OnnxBackend | ApiServer | GraphServer;

/** All backends, one line each; the first is the default. */
export const backends = [onnxDefinition, openaiDefinition, kserveDefinition] as const;

/** The backend of a model. */
export function backendOf(descriptor: { readonly kind: string } | undefined): BackendDefinition | undefined {
  return descriptor === undefined ? backends[0] : backends.find(({ kind }) => kind === descriptor.kind);
}
