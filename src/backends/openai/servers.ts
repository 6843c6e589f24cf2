import { InferenceError } from '../../errors.ts';

/** Which parameters beyond the wire format's own a server takes, and under which names. */
export type ApiDialect = 'openai' | 'vllm' | 'llama-server' | 'slashv1';

/** A server that answers chat and embeddings in the wire format of this API; plain data. */
export interface ApiServer {
  readonly kind: 'openai';
  /** Up to and including `/v1`. */
  readonly baseURL: string;
  /** Sent as bearer token. */
  readonly apiKey?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default `openai`: the wire format's own parameters and no others. */
  readonly dialect?: ApiDialect | undefined;
  /** Requests that it gets at once; the others wait here. Default 64. */
  readonly concurrency?: number | undefined;
}

/** A server that runs graphs by the Open Inference Protocol v2; plain data. */
export interface GraphServer {
  readonly kind: 'kserve';
  /** Without `/v2`. */
  readonly url: string;
  /** As the server calls the graph; of an image model, the name for each of its parts, such as `unet`. */
  readonly model: string | Readonly<Record<string, string>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Longest time for one run; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How long a server is waited for that isn't ready yet when the model is loaded; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

/** Where a model runs when it doesn't run here. */
export type RemoteServer = ApiServer | GraphServer;

/**
 * Models that run on other machines.
 *
 * `openai` sends chat and embeddings to vLLM, SGLang, llama-server, Ray Serve, another slashv1 or any server of that
 * wire format; the `source` of the model is its name there. `kserve` runs the graphs of detection, embedding and image
 * models on Triton, KServe, OpenVINO Model Server or Ray Serve; the `source` is a folder with everything but the graphs.
 *
 * @throws InferenceError `invalid_request` for an address that isn't one
 * @see https://github.com/kserve/open-inference-protocol
 *
 * @example
 * ```ts
 * createInference({
 *   models: {
 *     assistant: chat({ source: 'Qwen/Qwen3-8B', remote: remote.openai({ baseURL: 'http://gpu-1:8000/v1' }) }),
 *     detector: detection({ source: './yolox', remote: remote.kserve({ url: 'http://gpu-2:8000', model: 'yolox' }) }),
 *   },
 * });
 * ```
 */
export const remote = {
  openai(options: Omit<ApiServer, 'kind'>): ApiServer {
    assertAddress('remote.baseURL', options.baseURL);
    return { ...options, kind: 'openai' };
  },
  kserve(options: Omit<GraphServer, 'kind'>): GraphServer {
    assertAddress('remote.url', options.url);
    return { ...options, kind: 'kserve' };
  },
} as const;

const noAddress = { protocol: '', username: '', password: '' };

/** @throws InferenceError `invalid_request` for what is no http address, or holds a password */
export function assertAddress(param: string, address: string): void {
  const { protocol, username, password } = URL.canParse(address) ? new URL(address) : noAddress;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new InferenceError(
      'invalid_request',
      `${param}: expected an http or https address, got ${JSON.stringify(address)}`,
      { param },
    );
  }
  if (username === '' && password === '') return;
  throw new InferenceError(
    'invalid_request',
    `${param}: expected no user and password in it; headers can carry them`,
    {
      param,
    },
  );
}
