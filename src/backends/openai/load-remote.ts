import { fieldError } from '../../errors.ts';
import type { ModelInfo, ModelSpec } from '../../contracts/model.ts';
import type { Pipeline } from '../../contracts/category.ts';
import type { RunEvent } from '../../contracts/run.ts';
import { Upstreams } from '../upstreams.ts';
import { byteCounter, type TokenCounter } from './count-tokens.ts';
import { describeServer } from './describe-server.ts';
import { foreignChatParameters, serverParameters } from './dialects.ts';
import { foreignPromptParameters } from './prompt-fields.ts';
import type { RemoteModel, Runner } from './remote-model.ts';
import { runChat } from './run-chat.ts';
import { runEmbedding } from './run-embedding.ts';
import { foreignImageParameters, runImage } from './run-image.ts';
import { runSpeech } from './run-speech.ts';
import { runTranscription } from './run-transcription.ts';
import { patientMs, endpointsOf, type ApiDialect, type ApiServer } from './server.ts';

/** Serves a category over the wire format. */
interface RemoteCategory {
  readonly run: Runner<never, RunEvent>;
  /** Parameters that are refused since the server would ignore them. */
  foreign(dialect: ApiDialect): readonly string[];
  /** Parameters whose defaults are the server's. */
  readonly open?: readonly string[];
  /** Longest time until the first byte of an answer, where that comes as a whole and late; default that of the backend. */
  readonly firstByteMs?: number;
}

const remoteCategories: Readonly<Record<string, RemoteCategory>> = {
  chat: {
    run: runChat,
    foreign: (dialect) => [...foreignChatParameters(dialect), ...foreignPromptParameters(dialect)],
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
 * Makes a model on other servers of the wire format ready to run. It waits for no tensor, so it needs no process of its own. A
 * server that can't be reached yet is asked again, in the background and with every request.
 */
export async function loadRemotePipeline(
  spec: ModelSpec<{ readonly contextLength?: number | undefined } & Pick<RemoteModel, 'tokenIds'>>,
): Promise<Pipeline> {
  const { id, source: name, defaults = {}, tokenIds } = spec;
  const server = spec.backend as ApiServer;
  // The registry of backends lets no other category come here.
  const { run, foreign, open = [], firstByteMs } = remoteCategories[spec.category!]!;
  const { dialect = 'openai', extraBody = {}, tokenizer, prefixAffinity, upstreams } = server;
  const foreignParameters = foreign(dialect);
  const unknown = Object.keys(defaults).find((one) => foreignParameters.includes(one));
  if (unknown !== undefined) {
    throw fieldError(`defaults.${unknown}`, "the server that runs this model doesn't know it");
  }
  if (prefixAffinity && (spec.category !== 'chat' || upstreams === undefined)) {
    throw fieldError('backend.prefixAffinity', 'expected a chat model with `upstreams`');
  }
  const counter = await openCounter(tokenizer);
  const info = {
    id,
    name: spec.name ?? id,
    category: spec.category!,
    contextLength: spec.contextLength ?? 0,
    foreignParameters,
    defaults: Object.fromEntries(open.map((one) => [one, undefined])),
    created: 0,
    ownedBy: 'remote',
  } satisfies ModelInfo;
  const servers = new Upstreams({
    servers: endpointsOf(server, firstByteMs),
    async check(endpoint, signal) {
      const told = await describeServer(endpoint, name, { dialect, signal });
      // A server that comes up, or up again, may report another length.
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
    run: (request, options = {}) => run(model, request as never, options),
    close: async () => servers.close(),
  };
}

/** The tokenizer is imported late: few models have one here. */
async function openCounter(source: string | undefined): Promise<TokenCounter> {
  if (source === undefined) return byteCounter;
  const { openTokenizerCounter } = await import('./tokenizer-counter.ts');
  return openTokenizerCounter(source);
}
