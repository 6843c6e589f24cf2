import type { Pipeline } from '../../contracts/category.ts';
import type { ModelInfo, ModelSpec } from '../../contracts/model.ts';
import type { RunEvent } from '../../contracts/run.ts';
import { streamOf } from '../../concurrency/event-stream.ts';
import { fieldError, InferenceError } from '../../errors.ts';
import { Upstreams } from '../upstreams.ts';
import { fetchApi, readJson } from './api-client.ts';
import { byteCounter } from './count-tokens.ts';
import { foreignChatParameters, serverParameters } from './dialects.ts';
import type { RemoteModel, Runner } from './remote-model.ts';
import { runChat } from './run-chat.ts';
import { runEmbedding } from './run-embedding.ts';
import { foreignImageParameters, runImage } from './run-image.ts';
import { runSpeech } from './run-speech.ts';
import { runTranscription } from './run-transcription.ts';
import { apiEndpointsOf, patientMs, type ApiDialect, type ApiEndpoint, type ApiServer } from './server.ts';
import { fieldsOf, isObject, type Fields } from './fields.ts';

const maxListBytes = 16 * 2 ** 20;

/** Asks a server whether it has a model. */
async function describeServer(
  endpoint: ApiEndpoint,
  name: string,
  { dialect, signal }: { dialect: ApiDialect; signal: AbortSignal },
): Promise<number> {
  const models = await ask(endpoint, '/models', signal);
  const data: readonly unknown[] = Array.isArray(models?.['data']) ? models['data'] : [];
  const listed = data.filter(isObject).filter(({ id }) => typeof id === 'string');
  const found = listed.find(({ id }) => id === name);
  // llama-server accepts any name. Proxies list families of models with a star.
  const isOpen = dialect === 'llama-server' || listed.some(({ id }) => String(id).includes('*'));
  if (!found && listed.length > 0 && !isOpen)
    throw fieldError('source', `the server at ${endpoint.url} has no model of this name`);
  const meta = fieldsOf(found?.['meta']);
  const told = [
    found?.['max_model_len'],
    found?.['context_length'],
    meta['n_ctx'],
    dialect === 'llama-server' ? await slotLength(endpoint, signal) : undefined,
    meta['n_ctx_train'],
  ];
  return told.find((length): length is number => typeof length === 'number' && length > 0) ?? 0;
}

/** The context of llama-server: its `n_ctx`, which is smaller than the trained length. */
async function slotLength(endpoint: ApiEndpoint, signal: AbortSignal): Promise<unknown> {
  const server = { ...endpoint, url: endpoint.url.replace(/\/v1$/, '') };
  const properties = await ask(server, '/props', signal).catch(() => undefined);
  return fieldsOf(properties?.['default_generation_settings'])['n_ctx'];
}

/** `undefined` if the server has no such endpoint. */
async function ask(endpoint: ApiEndpoint, path: string, signal: AbortSignal): Promise<Fields | undefined> {
  const answer = await fetchApi(endpoint, { path, signal });
  const { status, ok, headers, body: page } = answer.response;
  // Gateways answer unknown paths with an HTML page.
  const isForeign = /html|event-stream/.test(headers.get('content-type') ?? '');
  if (!ok || isForeign) void page?.cancel();
  if (status === 401 || status === 403)
    throw fieldError('backend', `the server at ${endpoint.url} refuses its key with ${status}`);
  if (status === 404 || status === 405 || status === 429) return undefined;
  if (!ok) throw new InferenceError('worker_failed', `The remote server answered ${status}.`);
  if (isForeign) return undefined;
  const body = await readJson(answer, maxListBytes);
  return isObject(body) ? body : undefined;
}

/** Serves a category over the OpenAI API. */
interface RemoteCategory {
  readonly run: Runner<never, RunEvent>;
  /** Parameters that are rejected because the server would ignore them. */
  foreign(dialect: ApiDialect): readonly string[];
  /** Parameters with the server's defaults. */
  readonly open?: readonly string[];
  /** Timeout of the first byte, for answers that arrive late as a whole; default: the backend's. */
  readonly firstByteMs?: number;
}

const remoteCategories: Readonly<Record<string, RemoteCategory>> = {
  chat: {
    run: runChat,
    foreign: foreignChatParameters,
    open: serverParameters,
  },
  embedding: {
    run: runEmbedding,
    foreign: (dialect) => (dialect === 'slashv1' ? [] : ['truncate', 'promptName']),
  },
  image: {
    run: runImage,
    foreign: (dialect) => (dialect === 'slashv1' ? [] : foreignImageParameters),
    open: [...foreignImageParameters, 'width', 'height'],
    firstByteMs: patientMs,
  },
  speech: { run: runSpeech, foreign: () => [], open: ['speed'] },
  transcription: { run: runTranscription, foreign: () => [], firstByteMs: patientMs },
};

/**
 * Prepares a model on OpenAI-compatible servers. It computes no tensors, so it needs no separate process. A server that
 * isn't reachable yet is retried, in the background and with every request.
 */
export async function loadRemotePipeline(
  spec: ModelSpec<{ readonly contextLength?: number | undefined } & Pick<RemoteModel, 'tokenIds'>>,
): Promise<Pipeline> {
  const { id, source: name, defaults = {}, tokenIds } = spec;
  const server = spec.backend as ApiServer;
  // The registry of backends only allows these categories.
  const { run, foreign, open = [], firstByteMs } = remoteCategories[spec.category!]!;
  const { dialect = 'openai', extraBody = {}, tokenizer, prefixAffinity, upstreams } = server;
  const foreignParameters = foreign(dialect);
  const unknown = Object.keys(defaults).find((one) => foreignParameters.includes(one));
  if (unknown !== undefined)
    throw fieldError(`defaults.${unknown}`, "the server that runs this model doesn't know it");
  if (prefixAffinity && (spec.category !== 'chat' || upstreams === undefined))
    throw fieldError('backend.prefixAffinity', 'expected a chat model with `upstreams`');
  // Imported lazily: few models have a tokenizer here.
  const counter =
    tokenizer === undefined
      ? byteCounter
      : await (await import('./tokenizer-counter.ts')).openTokenizerCounter(tokenizer);
  const info = {
    id,
    name: spec.name ?? id,
    category: spec.category!,
    contextLength: spec.contextLength,
    foreignParameters,
    defaults: Object.fromEntries(open.map((one) => [one, undefined])),
    created: 0,
    ownedBy: 'remote',
  } satisfies ModelInfo;
  const servers = new Upstreams({
    servers: apiEndpointsOf(server, firstByteMs),
    async check(endpoint, signal) {
      const told = await describeServer(endpoint, name, { dialect, signal });
      // A server that starts or restarts may report a different length.
      if (spec.contextLength === undefined && told > 0) info.contextLength = told;
    },
  });
  await servers.start();
  const own = { counter, extraBody, tokenIds, prefixAffinity };
  const model: RemoteModel = { id, name, info, dialect, servers, ...own };
  return {
    info,
    concurrency: Math.min(servers.capacity, server.concurrency ?? Infinity),
    upstreams: () => servers.status,
    run: (request, options = {}) =>
      streamOf((add, signal) => run(model, request as never, { ...options, signal }, add), options.signal),
    close: async () => servers.close(),
  };
}
