import { assertAddresses } from './access.ts';
import type { GraphServer } from './kserve/server.ts';
import type { ApiServer } from './openai/server.ts';

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
