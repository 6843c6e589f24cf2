import { setTimeout } from 'node:timers/promises';
import { fieldError, InferenceError, orElse } from '../../errors.ts';
import type { Session, Tensor, TensorMap, TensorSignature } from '../../contracts/graph.ts';
import { readBeginning, readText, readWhole } from '../../runtime/http/answer-body.ts';
import { parseAnswer } from '../../runtime/http/parse-answer.ts';
import { authorization } from '../access.ts';
import type { Upstreams } from '../upstreams.ts';
import type { GraphEndpoint, GraphSignature } from './server.ts';
import { dataTypeOf, elementTypeOf, elementTypes } from './data-types.ts';
import { decodeOutputs, encodeInputs, type InferResponse } from './infer-body.ts';
import { currentRunHeaders } from '../../runtime/http/run-headers.ts';
import { fetchWith } from '../../runtime/http/fetch-with-certificates.ts';
import { sendAgain } from '../../runtime/http/send-again.ts';
import { reasonOfFetch } from '../../runtime/http/reason-of-fetch.ts';
import { abbreviate, describeValue } from '../../core/text/quote.ts';

export interface OpenInferenceOptions {
  /** Servers that have the graph. */
  readonly servers: Upstreams<GraphEndpoint>;
  /** As the servers call the graph. */
  readonly model: string;
  /** Send tensors as bytes; default: if the server lists the extension `binary_tensor_data`. */
  readonly binary?: boolean | undefined;
  /** Inputs and outputs, of a graph that the server doesn't describe. */
  readonly signature?: GraphSignature | undefined;
  /** Longest time for one request; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for a server that isn't ready; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

const longestPauseMs = 5000;
/** As servers, and proxies before them, answer about a graph that is still loading. */
const waitedFor = new Set([401, 403, 404, 408, 429]);

const maxDescriptionBytes = 2 ** 20;
const maxTensorBytes = 2 ** 29;
const maxFaultBytes = 1000;
const maxFaultCharacters = 200;

const lengthHeader = 'inference-header-content-length';

interface WireSignature {
  readonly name?: unknown;
  readonly datatype?: unknown;
  readonly shape?: unknown;
}

/**
 * Opens a graph that other machines run, by the Open Inference Protocol v2 over HTTP (Triton, KServe, OpenVINO Model Server,
 * Ray Serve). Tensors travel as bytes where the server knows the extension `binary_tensor_data`, else as JSON.
 * @see https://github.com/kserve/open-inference-protocol
 */
export async function openInferenceSession(options: OpenInferenceOptions): Promise<Session> {
  const server = new GraphServerClient(options);
  const path = `/v2/models/${encodeURIComponent(options.model)}`;
  const described: Fields = options.signature ? { ...options.signature } : await server.await(path);
  const isBinary = options.binary ?? listsBinary(await server.await('/v2', { isOptional: true }));
  const signatures = {
    inputs: toSignatures('inputs', described['inputs']),
    outputs: toSignatures('outputs', described['outputs']),
  };
  return {
    ...signatures,
    async run(feeds, fetches = signatures.outputs.map(({ name }) => name)) {
      assertNames(feeds, fetches, signatures);
      const { header, body } = encodeInputs(feeds, fetches, isBinary);
      const expected = signatures.outputs.filter(({ name }) => fetches.includes(name));
      return options.servers.ask(async (upstream) => {
        const answer = await server.infer(upstream, `${path}/infer`, body, isBinary ? header : undefined);
        return pick(await readOutputs(answer), expected);
      });
    },
    release: async () => {},
  };
}

function listsBinary({ extensions }: Fields): boolean {
  return Array.isArray(extensions) && extensions.includes('binary_tensor_data');
}

type Fields = Readonly<Record<string, unknown>>;

/** An answer that is only as long as its time. */
interface Answer {
  readonly response: Response;
  readonly signal: AbortSignal;
}

class GraphServerClient {
  readonly #options: OpenInferenceOptions;

  constructor(options: OpenInferenceOptions) {
    this.#options = options;
  }

  /** The description of a server or of a graph, as soon as there is one. */
  async await(path: string, { isOptional = false } = {}): Promise<Fields> {
    const { servers, startTimeoutMs = 60_000 } = this.#options;
    const giveUpAt = performance.now() + startTimeoutMs;
    for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await servers.ask((upstream) => this.#describe(upstream, path, isOptional));
      } catch (error) {
        const isFinal = !InferenceError.isInstance(error) || error.code !== 'worker_failed';
        if (isFinal || performance.now() + pauseMs > giveUpAt) throw error;
      }
      await setTimeout(pauseMs);
    }
  }

  async #describe(upstream: GraphEndpoint, path: string, isOptional: boolean): Promise<Fields> {
    const answer = await this.#fetch(upstream, path, {});
    const { status, ok } = answer.response;
    if (ok) return readDescription(path, answer);
    const fault = await readFault(answer);
    if (isOptional && status === 404) return {};
    throw fieldError('backend', `${path} answered ${status}: ${fault}`, {
      code: status < 500 && !waitedFor.has(status) ? 'invalid_request' : 'worker_failed',
    });
  }

  /** @param headerBytes length of the JSON before the tensors, where these travel as bytes */
  async infer(
    upstream: GraphEndpoint,
    path: string,
    body: Uint8Array,
    headerBytes: number | undefined,
  ): Promise<Answer> {
    const binary = {
      'content-type': 'application/octet-stream',
      [lengthHeader]: String(headerBytes),
    };
    const answer = await this.#fetch(upstream, path, {
      method: 'POST',
      headers: headerBytes === undefined ? { 'content-type': 'application/json' } : binary,
      body: body as Uint8Array<ArrayBuffer>,
    });
    const { status, ok } = answer.response;
    if (ok) return answer;
    throw new InferenceError(
      status === 429 || status === 503 ? 'overloaded' : 'worker_failed',
      `The graph server answered ${status}.`,
      { cause: new Error(await readFault(answer)) },
    );
  }

  async #fetch(
    { url, apiKey, headers, tls }: GraphEndpoint,
    path: string,
    init: RequestInit,
  ): Promise<Answer> {
    const { timeoutMs = 60_000 } = this.#options;
    const key = await authorization(apiKey);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await sendAgain(() =>
        fetchWith(tls)(url + path, {
          ...init,
          headers: {
            ...(init.headers as Record<string, string>),
            ...key,
            ...currentRunHeaders(),
            ...headers,
          },
          signal,
          // Headers with keys would go with it.
          redirect: 'error',
        }),
      );
      return { response, signal };
    } catch (error) {
      throw new InferenceError('worker_failed', `The graph server can't be used: ${reasonOfFetch(error)}.`, {
        cause: error,
      });
    }
  }
}

async function readDescription(path: string, { response, signal }: Answer): Promise<Fields> {
  const text = await readText(response, { signal, maxBytes: maxDescriptionBytes }).catch((error: unknown) => {
    const reason = `${path} can't be read: ${(error as Error).message}`;
    throw fieldError('backend', reason, { code: 'worker_failed', cause: error });
  });
  const described = parsed(text);
  if (typeof described === 'object' && described !== null) return described as Fields;
  throw fieldError('backend', `${path} answered, but not with a JSON object`);
}

async function readOutputs({ response, signal }: Answer): Promise<Record<string, Tensor>> {
  try {
    const bytes = await readWhole(response, { signal, maxBytes: maxTensorBytes });
    const headerBytes = Number(response.headers.get(lengthHeader) ?? bytes.byteLength);
    const header = parseAnswer(new TextDecoder().decode(bytes.subarray(0, headerBytes)));
    if (typeof header !== 'object' || header === null) throw new Error('it is not a JSON object');
    return decodeOutputs(header as InferResponse, bytes.subarray(headerBytes));
  } catch (error) {
    throw unreadable(error);
  }
}

async function readFault({ response, signal }: Answer): Promise<string> {
  const text = await readBeginning(response, { signal, maxBytes: maxFaultBytes });
  const { error = text } = (parsed(text) ?? {}) as { readonly error?: unknown };
  return abbreviate(String(error), maxFaultCharacters);
}

/** `undefined` for what is no JSON. */
function parsed(text: string): unknown {
  return orElse(() => parseAnswer(text), undefined);
}

/** Its words, and the names of graphs, are for the operator. */
function unreadable(error: unknown): InferenceError {
  const message = "The graph server's answer can't be read.";
  return new InferenceError('worker_failed', message, { cause: error });
}

function toSignatures(key: string, listed: unknown = []): TensorSignature[] {
  if (!Array.isArray(listed)) throw fieldError('backend', `expected ${key} as an array`);
  return listed.map((signature) => toSignature(key, (signature ?? {}) as WireSignature));
}

function toSignature(key: string, { name, datatype, shape }: WireSignature): TensorSignature {
  const type = elementTypeOf(String(datatype));
  if (type === undefined) {
    const expected = Object.keys(elementTypes).join(', ');
    throw fieldError(
      'backend',
      `${describeValue(name)} is ${describeValue(datatype)}, expected one of ${expected}`,
    );
  }
  if (typeof name !== 'string' || !Array.isArray(shape) || !shape.every(Number.isSafeInteger))
    throw fieldError('backend', `expected ${key} with a name and a shape`);
  const sizes = shape as readonly number[];
  return { name, type, dims: sizes.map((size, axis) => (size < 0 ? `${name}_${axis}` : size)) };
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

function pick(outputs: Readonly<Record<string, Tensor>>, expected: readonly TensorSignature[]): TensorMap {
  return Object.fromEntries(
    expected.map(({ name, type }) => {
      const tensor = outputs[name];
      if (!tensor) throw unreadable(new Error(`it left out the output ${name}`));
      if (tensor.type === type) return [name, tensor];
      const [got, wanted] = [dataTypeOf(tensor.type), dataTypeOf(type)];
      throw unreadable(new Error(`it has ${name} as ${got}, expected ${wanted}`));
    }),
  );
}
