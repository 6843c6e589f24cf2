import { fieldError } from '../../errors.ts';
import type { PipelineRunOptions } from '../../contracts/run.ts';
import type { EmbeddingEvent } from '../../categories/embedding/events.ts';
import { assertTexts, type EmbeddingRequest } from '../../categories/embedding/request.ts';
import { callApi, readJson } from './api-client.ts';
import { countAll } from './count-tokens.ts';
import type { RemoteModel } from './remote-model.ts';
import { readVectors } from './vectors.ts';

/** A vector of 8192 numbers, written in full, for each input. */
const maxVectorBytes = 2 ** 18;
const maxFrameBytes = 2 ** 20;

/** Runs an embedding request on a server of the wire format. */
export async function* runEmbedding(
  model: RemoteModel,
  request: EmbeddingRequest,
  { signal }: PipelineRunOptions,
): AsyncGenerator<EmbeddingEvent> {
  const { name, dialect, servers, counter, extraBody } = model;
  const { inputs, dimensions, truncate, promptName } = request;
  assertTexts(request, model);
  const isSame = dialect === 'slashv1';
  if (truncate && !isSame) throw fieldError('truncate', "the server that runs this model can't cut texts");
  if (promptName !== undefined && !isSame) {
    throw fieldError('prompt_name', 'the server that runs this model has no prompts');
  }
  const body = {
    ...extraBody,
    model: name,
    input: inputs,
    encoding_format: 'base64',
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(truncate ? { truncate } : {}),
    ...(promptName === undefined ? {} : { prompt_name: promptName }),
  };
  const maxBytes = maxFrameBytes + inputs.length * maxVectorBytes;
  const subject = { param: 'input', model, fields: Object.keys(body) };
  const { embeddings, promptTokens } = await servers.ask(async (server) => {
    const answer = await callApi(server, { path: '/embeddings', body, signal, subject });
    return readVectors(await readJson(answer, maxBytes), inputs.length);
  }, signal);
  if (dimensions !== undefined && embeddings.some(({ length }) => length !== dimensions)) {
    throw fieldError('dimensions', "the server that runs this model can't shorten vectors");
  }
  yield {
    type: 'embeddings',
    embeddings,
    promptTokens: promptTokens ?? (await countAll(inputs, counter)),
  };
}
