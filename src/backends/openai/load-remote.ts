import { InferenceError } from '../../errors.ts';
import type {
  Categories,
  Category,
  EmbeddingEvent,
  EmbeddingRequest,
  ModelInfo,
  ModelSpec,
  Pipeline,
  RunOptions,
} from '../../categories/contract.ts';
import { callApi, readEvents, readJson } from './api-client.ts';
import { toChatBody } from './chat-body.ts';
import { toChatEvents } from './chat-events.ts';
import { apiDialects, foreignChatParameters } from './dialects.ts';
import { assertAddress, type ApiDialect, type ApiServer } from './servers.ts';
import { readVectors } from './vectors.ts';

const defaultConcurrency = 64;
/** What a server tells of its models is wanted, not needed. */
const describeTimeoutMs = 3000;
const maxListBytes = 16 * 2 ** 20;
/** A vector of 8192 numbers, written in full, for each input. */
const maxVectorBytes = 2 ** 18;
const maxFrameBytes = 2 ** 20;

/** What is served by a server of the wire format. */
type RemoteCategory = Extract<Category, 'chat' | 'embedding'>;
type Runners = { [C in RemoteCategory]: Runner<C> };
type Runner<C extends Category> = (
  model: RemoteModel,
  request: Categories[C]['request'],
  options: RunOptions,
) => AsyncIterable<Categories[C]['event']>;

interface RemoteModel {
  /** As the server calls it. */
  readonly name: string;
  readonly server: ApiServer;
}

const runners: Runners = { chat: runChat, embedding: runEmbedding };

/** What is refused since the server would ignore it. */
const foreignParameters: Readonly<Record<RemoteCategory, (dialect: ApiDialect) => readonly string[]>> = {
  chat: foreignChatParameters,
  embedding: (dialect) => (dialect === 'slashv1' ? [] : ['truncate', 'promptName']),
};

/**
 * Makes a model on another server of the wire format ready to run. It waits for no tensor, so it needs no process of its
 * own. A server that can't be reached yet is asked again with every request.
 *
 * @throws InferenceError `invalid_request` for a setting that doesn't fit
 */
export async function loadRemotePipeline(spec: ModelSpec): Promise<Pipeline> {
  const { category, remote: server } = spec;
  if (server?.kind !== 'openai' || !(category === 'chat' || category === 'embedding')) {
    throw invalid('remote', `models for ${category} can't run on a server of this wire format`);
  }
  assertAddress('remote.baseURL', server.baseURL);
  const { concurrency = defaultConcurrency, dialect = 'openai' } = server;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw invalid('remote.concurrency', `expected an integer of at least 1, got ${concurrency}`);
  }
  if (!apiDialects.includes(dialect)) {
    throw invalid(
      'remote.dialect',
      `expected one of ${apiDialects.join(', ')}, got ${JSON.stringify(dialect)}`,
    );
  }
  const model: RemoteModel = { name: spec.source, server };
  const info: ModelInfo = {
    id: spec.id,
    name: spec.name ?? spec.id,
    category,
    contextLength: spec.contextLength ?? (await findContextLength(model)),
    foreignParameters: foreignParameters[category](dialect),
    created: 0,
    ownedBy: 'remote',
  };
  const run = runners[category] as Runner<Category>;
  return {
    info,
    concurrency,
    run: (request, options = {}) => run(model, request, options),
    close: async () => {},
  };
}

async function* runChat(
  { server, name }: RemoteModel,
  request: Categories['chat']['request'],
  { signal }: RunOptions,
): AsyncGenerator<Categories['chat']['event']> {
  const body = toChatBody(request, name, server.dialect ?? 'openai');
  const response = await callApi(server, { path: '/chat/completions', body, signal });
  yield* toChatEvents(readEvents(response, signal), {
    choices: request.n,
    includeReasoning: request.includeReasoning,
  });
}

async function* runEmbedding(
  { server, name }: RemoteModel,
  request: EmbeddingRequest,
  { signal }: RunOptions,
): AsyncGenerator<EmbeddingEvent> {
  const { inputs, dimensions, truncate, promptName } = request;
  const isSame = server.dialect === 'slashv1';
  if (truncate && !isSame) throw invalid('truncate', "the server that runs this model can't cut texts");
  if (promptName !== undefined && !isSame) {
    throw invalid('prompt_name', 'the server that runs this model has no prompts');
  }
  const body = {
    model: name,
    input: inputs,
    encoding_format: 'base64',
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(truncate ? { truncate } : {}),
    ...(promptName === undefined ? {} : { prompt_name: promptName }),
  };
  const response = await callApi(server, { path: '/embeddings', body, signal });
  const maxBytes = maxFrameBytes + inputs.length * maxVectorBytes;
  const answer = await readJson(response, { signal, maxBytes });
  yield { type: 'embeddings', ...(await readVectors(answer, inputs.length)) };
}

/** 0 where nobody tells. */
async function findContextLength({ server, name }: RemoteModel): Promise<number> {
  try {
    const signal = AbortSignal.timeout(describeTimeoutMs);
    const response = await callApi(server, { path: '/models', signal });
    const { data } = (await readJson(response, { signal, maxBytes: maxListBytes })) as {
      readonly data: readonly Readonly<Record<string, unknown>>[];
    };
    const found = data.find(({ id }) => id === name) ?? {};
    const told = found['max_model_len'] ?? found['context_length'] ?? (found['meta'] as Meta)?.n_ctx_train;
    return typeof told === 'number' && told > 0 ? told : 0;
  } catch {
    return 0;
  }
}

type Meta = { readonly n_ctx_train?: unknown } | undefined;

function invalid(param: string, reason: string): InferenceError {
  return new InferenceError('invalid_request', `${param}: ${reason}`, { param });
}
