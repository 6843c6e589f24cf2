import { fieldError } from '../../errors.ts';
import type { ChatEvent } from '../../categories/chat/events.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { ModelInfo, RunEvent, ModelSpec, Pipeline, RunOptions } from '../../categories/contract.ts';
import type { EmbeddingEvent } from '../../categories/embedding/events.ts';
import type { EmbeddingRequest } from '../../categories/embedding/request.ts';
import { callApi, readEvents, readJson } from './api-client.ts';
import { toChatBody } from './chat-body.ts';
import { toChatEvents } from './chat-events.ts';
import { foreignChatParameters } from './dialects.ts';
import { foreignPromptParameters } from './prompt-fields.ts';
import type { ApiDialect, ApiServer } from './server.ts';
import { readVectors } from './vectors.ts';

const defaultConcurrency = 64;
/** What a server tells of its models is wanted, not needed. */
const describeTimeoutMs = 3000;
const maxListBytes = 16 * 2 ** 20;
/** A vector of 8192 numbers, written in full, for each input. */
const maxVectorBytes = 2 ** 18;
const maxFrameBytes = 2 ** 20;

/** The categories that are served over the wire format. */
type RemoteCategory = 'chat' | 'embedding';
type Runner<Request, Event> = (
  model: RemoteModel,
  request: Request,
  options: RunOptions,
) => AsyncIterable<Event>;

interface RemoteModel {
  /** As the server calls it. */
  readonly name: string;
  readonly server: ApiServer;
}

const runners = { chat: runChat, embedding: runEmbedding };

/** What is refused since the server would ignore it. */
const foreignParameters: Readonly<Record<RemoteCategory, (dialect: ApiDialect) => readonly string[]>> = {
  chat: (dialect) => [...foreignChatParameters(dialect), ...foreignPromptParameters(dialect)],
  embedding: (dialect) => (dialect === 'slashv1' ? [] : ['truncate', 'promptName']),
};

/**
 * Makes a model on another server of the wire format ready to run. It waits for no tensor, so it needs no process of its
 * own. A server that can't be reached yet is asked again with every request.
 *
 * @throws InferenceError `invalid_request` for a setting that doesn't fit
 */
export async function loadRemotePipeline(
  spec: ModelSpec<{ readonly contextLength?: number }>,
): Promise<Pipeline> {
  const server = spec.backend as ApiServer;
  // The registry of backends lets no other category come here.
  const category = spec.category as RemoteCategory;
  const { concurrency = defaultConcurrency, dialect = 'openai' } = server;
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
  const run = runners[category] as Runner<unknown, RunEvent>;
  return {
    info,
    concurrency,
    run: (request, options = {}) => run(model, request, options),
    close: async () => {},
  };
}

async function* runChat(
  { server, name }: RemoteModel,
  request: ChatRequest,
  { signal }: RunOptions,
): AsyncGenerator<ChatEvent> {
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
  if (truncate && !isSame) throw fieldError('truncate', "the server that runs this model can't cut texts");
  if (promptName !== undefined && !isSame) {
    throw fieldError('prompt_name', 'the server that runs this model has no prompts');
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
