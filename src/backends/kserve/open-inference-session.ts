import { setTimeout } from 'node:timers/promises';
import { fieldError, InferenceError, orElse } from '../../errors.ts';
import type { Session, Tensor, TensorMap, TensorSignature } from '../../contracts/graph.ts';
import { readBeginning, readText, readWhole, type HttpAnswer } from '../../runtime/http/answer-body.ts';
import { parseAnswer } from '../../runtime/http/answer-body.ts';
import { senderTo, type RemoteEndpoint } from '../access.ts';
import type { Upstreams } from '../upstreams.ts';
import type { GraphSignature } from './server.ts';
import { dataTypeOf, dataTypes, elementTypeOf } from './data-types.ts';
import { decodeOutputs, encodeInputs, lengthHeader, type InferResponse } from './infer-body.ts';
import { currentRunHeaders } from '../../runtime/http/run-headers.ts';
import type { HttpRequest } from '../../runtime/http/fetch-with-certificates.ts';
import { reasonOfFetch, sendAgain } from '../../runtime/http/fetch-failures.ts';
import { abbreviate, describeValue } from '../../core/text/quote.ts';

export interface OpenInferenceOptions {
  readonly servers: Upstreams<RemoteEndpoint>;
  /** The servers' name of the graph. */
  readonly model: string;
  /** Send tensors as bytes; default: if the server lists the extension `binary_tensor_data`. */
  readonly binary?: boolean | undefined;
  /** Inputs and outputs, for a graph that the server doesn't describe. */
  readonly signature?: GraphSignature | undefined;
  /** Timeout per request; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Maximum wait for a server to become ready; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

const maxPauseMs = 5000;
/** Statuses of servers, and of proxies in front of them, while a graph is loading. */
const waitedFor = new Set([401, 403, 404, 408, 429]);

const maxDescriptionBytes = 2 ** 20;
const maxTensorBytes = 2 ** 29;
const maxFaultBytes = 1000;
const maxFaultCharacters = 200;

interface WireSignature {
  readonly name?: unknown;
  readonly datatype?: unknown;
  readonly shape?: unknown;
}

/**
 * Opens a remote graph by the Open Inference Protocol v2 over HTTP (Triton, KServe, OpenVINO Model Server, Ray Serve).
 * Tensors are sent as bytes if the server supports the extension `binary_tensor_data`, else as JSON.
 * @see https://github.com/kserve/open-inference-protocol
 */
export async function openInferenceSession(options: OpenInferenceOptions): Promise<Session> {
  const { servers, model, binary, signature, timeoutMs } = options;
  const path = `/v2/models/${encodeURIComponent(model)}`;
  const described: Fields = signature ? { ...signature } : await describe(path, options);
  const asked = binary === undefined ? await describe('/v2', { ...options, isOptional: true }) : {};
  const { extensions }: Fields = asked;
  const isBinary = binary ?? (Array.isArray(extensions) && extensions.includes('binary_tensor_data'));
  const signatures = {
    inputs: toSignatures('inputs', described['inputs']),
    outputs: toSignatures('outputs', described['outputs']),
  };
  return {
    ...signatures,
    async run(feeds, fetches = signatures.outputs.map(({ name }) => name)) {
      assertNames(feeds, fetches, signatures);
      const request = { method: 'POST', ...encodeInputs(feeds, fetches, isBinary), timeoutMs };
      const expected = signatures.outputs.filter(({ name }) => fetches.includes(name));
      return servers.ask(async (server) => {
        const answer = await ask(server, `${path}/infer`, request);
        const { status, ok } = answer.response;
        if (ok) return pick(await readOutputs(answer), expected);
        const code = status === 429 || status === 503 ? 'overloaded' : 'worker_failed';
        const cause = new Error(await readFault(answer));
        throw new InferenceError(code, `The graph server answered ${status}.`, { cause });
      });
    },
    release: async () => {},
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A response that is valid until its timeout. */
interface Answer {
  readonly response: HttpAnswer;
  readonly signal: AbortSignal;
}

interface DescribeOptions extends OpenInferenceOptions {
  /** Whether it may be missing. */
  readonly isOptional?: boolean;
}

/** The description of a server or of a graph, as soon as it is available. */
async function describe(
  path: string,
  { servers, startTimeoutMs = 60_000, timeoutMs, isOptional = false }: DescribeOptions,
): Promise<Fields> {
  const giveUpAt = performance.now() + startTimeoutMs;
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      return await servers.ask(async (server) => {
        const answer = await ask(server, path, { timeoutMs });
        const { status, ok } = answer.response;
        if (ok) return readDescription(path, answer);
        const fault = await readFault(answer);
        if (isOptional && status === 404) return {};
        throw fieldError('backend', `${path} answered ${status}: ${fault}`, {
          code: status < 500 && !waitedFor.has(status) ? 'invalid_request' : 'worker_failed',
        });
      });
    } catch (error) {
      const isFinal = !InferenceError.isInstance(error) || error.code !== 'worker_failed';
      if (isFinal || performance.now() + pauseMs > giveUpAt) throw error;
    }
    await setTimeout(pauseMs);
  }
}

interface GraphRequest extends Omit<HttpRequest, 'signal'> {
  readonly timeoutMs: number | undefined;
}

async function ask(
  server: RemoteEndpoint,
  path: string,
  { timeoutMs = 60_000, headers: own, ...request }: GraphRequest,
): Promise<Answer> {
  const send = await senderTo(server);
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { ...own, ...currentRunHeaders() };
  try {
    const response = await sendAgain(() => send(path, { ...request, headers, signal }));
    return { response, signal };
  } catch (error) {
    const message = `The graph server can't be used: ${reasonOfFetch(error)}.`;
    throw new InferenceError('worker_failed', message, { cause: error });
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

/** `undefined` for invalid JSON. */
function parsed(text: string): unknown {
  return orElse(() => parseAnswer(text), undefined);
}

/** The cause quotes the server and graph names, which are only for the operator. */
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
    const expected = dataTypes.join(', ');
    const reason = `${describeValue(name)} is ${describeValue(datatype)}, expected one of ${expected}`;
    throw fieldError('backend', reason);
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
