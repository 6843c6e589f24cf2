import { setTimeout } from 'node:timers/promises';
import { InferenceError } from '../../errors.ts';
import type { Session, Tensor, TensorMap, TensorSignature } from '../contract.ts';
import { dataTypeOf, elementTypes, type WireType } from './data-types.ts';
import { decodeOutputs, encodeInputs, type InferResponse } from './infer-body.ts';
import { reasonOfFetch } from './reason-of-fetch.ts';

export interface OpenInferenceOptions {
  /** Of the server, without `/v2`. */
  readonly url: string;
  /** As the server calls the graph. */
  readonly model: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Longest time for one request; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How long a server is waited for that isn't ready yet; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

const longestPauseMs = 5000;

const lengthHeader = 'inference-header-content-length';

interface WireSignature {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

/**
 * Opens a graph that another machine runs, by the Open Inference Protocol v2 over HTTP (Triton, KServe, OpenVINO Model
 * Server, Ray Serve). Tensors travel as bytes where the server knows the extension `binary_tensor_data`, else as JSON.
 *
 * @throws InferenceError `invalid_request` where the server doesn't have the graph or it can't be used, `worker_failed`
 * where the server can't be reached
 * @see https://github.com/kserve/open-inference-protocol
 *
 * @example
 * ```ts
 * const session = await openInferenceSession({ url: 'http://gpu-2:8000', model: 'yolox' });
 * const { output } = await session.run({ images: { type: 'float32', dims: [1, 3, 416, 416], data: pixels } });
 * ```
 */
export async function openInferenceSession(options: OpenInferenceOptions): Promise<Session> {
  const server = new GraphServerClient(options);
  const path = `/v2/models/${encodeURIComponent(options.model)}`;
  const { extensions = [] } = await server.await<{ readonly extensions?: readonly string[] }>('/v2');
  const { inputs = [], outputs = [] } = await server.await<{
    readonly inputs?: readonly WireSignature[];
    readonly outputs?: readonly WireSignature[];
  }>(path);
  const isBinary = extensions.includes('binary_tensor_data');
  const signatures = { inputs: inputs.map(toSignature), outputs: outputs.map(toSignature) };
  return {
    ...signatures,
    async run(feeds, fetches = signatures.outputs.map(({ name }) => name)) {
      assertNames(feeds, fetches, signatures);
      const { header, body } = encodeInputs(feeds, fetches, isBinary);
      const response = await server.infer(`${path}/infer`, body, isBinary ? header : undefined);
      return pick(await readOutputs(response), fetches);
    },
    release: async () => {},
  };
}

class GraphServerClient {
  readonly #options: OpenInferenceOptions;

  constructor(options: OpenInferenceOptions) {
    this.#options = options;
  }

  /**
   * What it says of itself or of a graph, once it can.
   *
   * @throws InferenceError `invalid_request` where there is nothing of that name, `worker_failed` where it still can't tell
   */
  async await<T>(path: string): Promise<T> {
    const { startTimeoutMs = 60_000 } = this.#options;
    const giveUpAt = performance.now() + startTimeoutMs;
    for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await this.#describe<T>(path);
      } catch (error) {
        const isFinal = !InferenceError.isInstance(error) || error.code !== 'worker_failed';
        if (isFinal || performance.now() + pauseMs > giveUpAt) throw error;
      }
      await setTimeout(pauseMs);
    }
  }

  async #describe<T>(path: string): Promise<T> {
    const response = await this.#fetch(path, {});
    if (response.ok) return (await response.json()) as T;
    throw new InferenceError(
      response.status < 500 ? 'invalid_request' : 'worker_failed',
      `remote: ${path} answered ${response.status}: ${await readFault(response)}`,
      { param: 'remote' },
    );
  }

  /** @param headerBytes length of the JSON before the tensors, where these travel as bytes */
  async infer(path: string, body: Uint8Array, headerBytes: number | undefined): Promise<Response> {
    const binary = {
      'content-type': 'application/octet-stream',
      [lengthHeader]: String(headerBytes),
    };
    const response = await this.#fetch(path, {
      method: 'POST',
      headers: headerBytes === undefined ? { 'content-type': 'application/json' } : binary,
      body: body as Uint8Array<ArrayBuffer>,
    });
    if (response.ok) return response;
    throw new InferenceError(
      response.status === 429 || response.status === 503 ? 'overloaded' : 'worker_failed',
      `The graph server answered ${response.status}.`,
      { cause: new Error(await readFault(response)) },
    );
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { url, headers, timeoutMs = 60_000 } = this.#options;
    try {
      return await fetch(url.replace(/\/+$/, '') + path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), ...headers },
        signal: AbortSignal.timeout(timeoutMs),
        // Headers with keys would go with it.
        redirect: 'error',
      });
    } catch (error) {
      throw new InferenceError('worker_failed', `The graph server can't be used: ${reasonOfFetch(error)}.`, {
        cause: error,
      });
    }
  }
}

async function readOutputs(response: Response): Promise<Record<string, Tensor>> {
  try {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const headerBytes = Number(response.headers.get(lengthHeader) ?? bytes.byteLength);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(0, headerBytes))) as InferResponse;
    return decodeOutputs(header, bytes.subarray(headerBytes));
  } catch (error) {
    throw new InferenceError(
      'worker_failed',
      `The graph server's answer can't be read: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

async function readFault(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    return String((JSON.parse(text) as { readonly error?: unknown }).error);
  } catch {
    return text.slice(0, 300);
  }
}

function toSignature({ name, datatype, shape }: WireSignature): TensorSignature {
  const type = elementTypes[datatype as WireType];
  if (type === undefined) {
    throw new InferenceError(
      'invalid_request',
      `remote: ${name} is ${datatype}, expected one of ${Object.keys(elementTypes).join(', ')}`,
      { param: 'remote' },
    );
  }
  return { name, type, dims: shape.map((size, axis) => (size < 0 ? `${name}_${axis}` : size)) };
}

function assertNames(
  feeds: TensorMap,
  fetches: readonly string[],
  { inputs, outputs }: Pick<Session, 'inputs' | 'outputs'>,
): void {
  for (const { name, type } of inputs) {
    const { type: given } = feeds[name] ?? {};
    if (given !== type) throw new Error(`${name}: expected ${dataTypeOf(type)}, got ${given ?? 'nothing'}`);
  }
  const known = new Set(outputs.map(({ name }) => name));
  const unknown = fetches.find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`${unknown}: the graph has no such output`);
}

function pick(outputs: Readonly<Record<string, Tensor>>, names: readonly string[]): TensorMap {
  return Object.fromEntries(
    names.map((name) => {
      const tensor = outputs[name];
      if (!tensor) throw new InferenceError('worker_failed', `The graph server left out the output ${name}.`);
      return [name, tensor];
    }),
  );
}
