import { setImmediate } from 'node:timers/promises';
import type { EmbeddingEvent } from '../../categories/embedding/events.ts';
import { assertTexts } from '../../categories/embedding/encoder.ts';
import type { EmbeddingRequest } from '../../categories/embedding/request.ts';
import type { PipelineRunOptions } from '../../contracts/run.ts';
import { fieldError, InferenceError } from '../../errors.ts';
import { callApi, readJson, toCall } from './api-client.ts';
import { countAll } from './count-tokens.ts';
import type { RemoteModel } from './remote-model.ts';
import { toCount } from './wire-chunk.ts';

/** Parsing runs in the host, so it yields after this many. */
const vectorsPerTurn = 64;

interface WireVectors {
  readonly data?: readonly ({ readonly index?: unknown; readonly embedding?: unknown } | null)[];
  readonly usage?: { readonly prompt_tokens?: unknown };
}

/** Reads the response to an embedding request: vectors as numbers or as base64 of little-endian float32. */
async function readVectors(body: unknown, count: number) {
  const { data, usage } = (body ?? {}) as WireVectors;
  const embeddings: Float32Array[] = [];
  for (const [at, item] of (Array.isArray(data) ? data : []).entries()) {
    if (at % vectorsPerTurn === vectorsPerTurn - 1) await setImmediate();
    const index: unknown = item?.index ?? at;
    if (toCount(index) === undefined || (index as number) >= count) {
      const message = 'The remote server returned vectors that were not requested.';
      throw new InferenceError('worker_failed', message);
    }
    embeddings[index as number] = toVector(item?.embedding);
  }
  const missing = Array.from({ length: count }, (_, index) => index).find(
    (index) => !embeddings[index]?.length,
  );
  if (missing !== undefined)
    throw new InferenceError('worker_failed', `The remote server gave no vector for input ${missing}.`);
  return { embeddings, promptTokens: toCount(usage?.prompt_tokens) };
}

const none = new Float32Array(0);

/** Empty unless the value is a vector of finite numbers. */
function toVector(embedding: unknown): Float32Array {
  const vector = Array.isArray(embedding) ? Float32Array.from(embedding) : fromBase64(embedding);
  return vector.every(Number.isFinite) ? vector : none;
}

function fromBase64(embedding: unknown): Float32Array {
  if (typeof embedding !== 'string') return none;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.byteLength % 4 !== 0) return none;
  // Little-endian, like all machines that ONNX Runtime supports.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** A vector of 8192 numbers in full precision per input. */
const maxVectorBytes = 2 ** 18;
const maxFrameBytes = 2 ** 20;

/** Runs an embedding request on an OpenAI-compatible server. */
export async function runEmbedding(
  model: RemoteModel,
  request: EmbeddingRequest,
  options: PipelineRunOptions,
  add: (event: EmbeddingEvent) => void,
): Promise<void> {
  const { dialect, servers, counter } = model;
  const { inputs, dimensions, truncate, promptName } = request;
  assertTexts(request, model);
  const isSame = dialect === 'slashv1';
  if (truncate && !isSame) throw fieldError('truncate', "the server that runs this model can't cut texts");
  if (promptName !== undefined && !isSame)
    throw fieldError('prompt_name', 'the server that runs this model has no prompts');
  const fields = {
    input: inputs,
    encoding_format: 'base64',
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(truncate ? { truncate } : {}),
    ...(promptName === undefined ? {} : { prompt_name: promptName }),
  };
  const maxBytes = maxFrameBytes + inputs.length * maxVectorBytes;
  const call = toCall(model, { path: '/embeddings', param: 'input', fields }, options);
  const { embeddings, promptTokens } = await servers.ask(
    async (server) => readVectors(await readJson(await callApi(server, call), maxBytes), inputs.length),
    options.signal,
  );
  if (dimensions !== undefined && embeddings.some(({ length }) => length !== dimensions))
    throw fieldError('dimensions', "the server that runs this model can't shorten vectors");
  add({
    type: 'embeddings',
    embeddings,
    promptTokens: promptTokens ?? (await countAll(inputs, counter)),
  });
}
