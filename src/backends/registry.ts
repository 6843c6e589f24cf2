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
import { assertAddresses } from './access.ts';

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

/**
 * Models on remote machines.
 *
 * `openai` sends chat, embeddings, images, speech and transcription to vLLM, SGLang, llama-server, Ray Serve, slashv1
 * or any OpenAI-compatible server; the `source` of the model is its name there. `kserve` runs the graphs of detection,
 * embedding, image and rerank models on Triton, KServe, OpenVINO Model Server or Ray Serve; the `source` is a folder
 * with everything but the graphs.
 *
 * @throws InferenceError `invalid_request` for an invalid address
 * @see https://github.com/kserve/open-inference-protocol
 *
 * @example
 * ```ts
 * createInference({
 *   models: {
 *     assistant: chat({ source: 'Qwen/Qwen3-8B', backend: remote.openai({ baseURL: 'http://gpu-1:8000/v1' }) }),
 *     detector: detection({ source: './yolox', backend: remote.kserve({ url: 'http://gpu-2:8000', model: 'yolox' }) }),
 *   },
 * });
 * ```
 */
export const remote = {
  openai(options: Omit<ApiServer, 'kind'>): ApiServer {
    assertAddresses('remote.openai: ', 'baseURL', options ?? {});
    return { ...options, kind: 'openai' };
  },
  kserve(options: Omit<GraphServer, 'kind'>): GraphServer {
    assertAddresses('remote.kserve: ', 'url', options ?? {});
    return { ...options, kind: 'kserve' };
  },
} as const;
