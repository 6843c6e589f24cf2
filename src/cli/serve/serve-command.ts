import { withinTime } from '../../concurrency/within-time.ts';
import { bundledModelNames } from '../../folder/bundled-models.ts';
import { locateModel } from '../../folder/source.ts';
import {
  createHandler,
  createInference,
  InferenceError,
  type Inference,
  type InferenceOptions,
  type Logger,
  type ModelInfo,
  type ModelOptions,
  type ModelStatus,
  type Observer,
  type Handler,
} from '../../index.ts';
import { createHealthHandler } from '../../server/health.ts';
import { defineCommand, exitCode, watchInterrupts, type ExitCode } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { aboutModel, fetchModel, type FetchContext } from '../load-models.ts';
import type { ModelSettings } from '../model-settings.ts';
import { inOption, UsageError } from '../options.ts';
import { serviceBanner } from './banner.ts';
import { loading, openHttpServer } from './http-server.ts';
import { jsonLogger, prettyLogger } from './request-log.ts';
import { readServeSettings, serveOptionTable, type ServeSettings } from './serve-settings.ts';

/** A handler and the path that it serves, including subpaths. */
export interface Place {
  /** `/` is the fallback. */
  readonly path: string;
  readonly handler: Handler;
}

/** Combines handlers by the longest matching path. */
export function mount(places: readonly Place[], otherwise: Handler): Handler {
  const byLength = [...places].sort((a, b) => b.path.length - a.path.length);
  return (request) => {
    const path = request.url.split('?', 1)[0]!;
    const place = byLength.find(
      (one) => one.path === '/' || path === one.path || path.startsWith(`${one.path}/`),
    );
    return (place?.handler ?? otherwise)(request);
  };
}

/** Creates the requested services next to the API, and their observers; the rest isn't loaded. */
async function createSideServices({ playground, metrics }: ServeSettings['wanted']) {
  const places: (Place & { readonly name: string })[] = [];
  const observers: Observer[] = [];
  if (playground) {
    const { createPlayground } = await import('../../playground/create-playground.ts');
    places.push({ name: 'playground', path: '/', handler: createPlayground() });
  }
  if (metrics) {
    const { createMetrics } = await import('../../create-metrics.ts');
    const { handler, observer } = inOption((reason) => `--metrics: ${reason}`, createMetrics);
    places.push({ name: 'metrics', path: '/metrics', handler });
    observers.push(observer);
  }
  return { places, observers };
}

function bundledModelSettings(hub: ModelSettings['hub']): Readonly<Record<string, ModelSettings>> {
  try {
    locateModel(bundledModelNames[0]!);
  } catch (error) {
    if (!InferenceError.isInstance(error)) throw error;
    throw new UsageError(
      'No model is named, and the bundled ones are not installed. Name one, such as --model qwen3-0.6b (slashv1 models list --catalogue shows more), or run npm install @slashv1/tiny-models.',
      { cause: error },
    );
  }
  return Object.fromEntries(bundledModelNames.map((name) => [name, { source: name, hub }]));
}

export const command = defineCommand({
  name: 'serve',
  summary: 'Serves models over HTTP, at /v1.',
  description: [
    'Missing files are downloaded first. The first Ctrl-C waits for open requests, the second stops at once.',
    'Standard output carries only the log of requests.',
  ],
  options: serveOptionTable,
  examples: {
    'slashv1 serve': 'the bundled models, with a key made for this run',
    'slashv1 serve --model assistant=qwen3-0.6b --model whisper-base': 'two models of the catalogue',
    'slashv1 serve --model chat=./models/my-model,dtype=q4,threads=4,replicas=2 --port 8080 --keys-file keys.txt':
      'a folder, two workers, keys from a file',
    'slashv1 serve --config slashv1.json': 'everything in a file, plans and limits too',
  },
  async run(values, operands, terminal) {
    if (operands.length > 0) {
      throw new UsageError(
        `Expected only options, got ${operands[0]}; a model is named by --model ${operands[0]}.`,
      );
    }
    return serve(await readServeSettings(values, terminal), terminal);
  },
});

async function serve(settings: ServeSettings, terminal: Terminal): Promise<ExitCode> {
  const { host, keyOrigin, requiredModels, drainMs, drainDelayMs } = settings;
  const { messages } = terminal;
  const tell = (text: string): void => messages.write(`${text}\n`);
  const given = settings.models;
  const models = Object.keys(given).length > 0 ? given : bundledModelSettings(settings.hub);
  assertIds(requiredModels, Object.keys(models));
  const beside = await createSideServices(settings.wanted);
  const server = await openHttpServer(host, settings.port);
  const { signal, first: firstSignal, stop } = watchInterrupts();
  let inference: Inference | undefined;
  const status = () => inference?.status() ?? Object.keys(models).map(statusBeforeLoading);
  const health = {
    name: 'health',
    path: '/health',
    handler: createHealthHandler({ status }, { requiredModels }),
  };
  const places = [...beside.places, health];
  server.handle(mount([health], loading));
  try {
    const options = await fetchAll(models, { terminal, signal });
    tell(`Loading ${count(Object.keys(options).length, 'model')} …`);
    const widest = Math.max(...Object.keys(options).map(({ length }) => length));
    const logger = loggerOf(settings, terminal);
    inference = createInference({
      models: options as InferenceOptions['models'],
      isolation: settings.isolation,
      maxLoadedModels: settings.maxLoadedModels,
      maxLoadedBytes: settings.maxLoadedBytes,
      logger,
      observers: [
        {
          onModelLoad: ({ id }, { loadMs }) =>
            tell(`  ${id.padEnd(widest)}  ${(loadMs / 1000).toFixed(1)} s`),
          onModelFailure({ id }, { error }) {
            const isRequired = requiredModels?.includes(id) ?? true;
            if (!isRequired) tell(`  ${id.padEnd(widest)}  not loaded: ${error.message}`);
          },
        },
      ],
    });
    const { handler } = settings;
    const observers = [...(handler.observers ?? []), ...beside.observers];
    const api = createHandler(inference, { ...handler, logger, observers });
    server.handle(mount([{ path: '/v1', handler: api }, ...places], api));
    await Promise.race([ready(inference, requiredModels), firstSignal]);
    if (!signal.aborted) announce(inference.models());
    await firstSignal;
    return exitCode.success;
  } catch (error) {
    if (signal.aborted) return exitCode.success;
    throw error;
  } finally {
    await shutDown();
  }

  function announce(served: readonly ModelInfo[]): void {
    const banner = serviceBanner({ origin: server.origin, models: served, keyOrigin, places }, messages);
    tell(`\n${banner}\n`);
    if (keyOrigin === 'none' && !isLoopback(host)) {
      const careful = messages.style.yellow('Careful:');
      tell(`${careful} ${host} may be reached from elsewhere, and no key is needed.`);
    }
    tell(messages.style.dim('Ctrl-C ends it.'));
  }

  async function shutDown(): Promise<void> {
    if (signal.aborted) {
      const { openResponses } = server;
      const open = `${count(openResponses, 'request')} ${openResponses === 1 ? 'is' : 'are'} through`;
      tell(openResponses === 0 ? '\nStopping.' : `\nStopping when ${open}; Ctrl-C again stops at once.`);
    }
    // Requests up to the end of the delay are served; incomplete ones then get 503.
    await inference?.close({ drainDelayMs, ...(drainMs === undefined ? {} : { graceMs: drainMs }) });
    await withinTime(() => server.drain(), flushMs).catch(() => undefined);
    await server.close();
    stop();
  }
}

/** Time for the last bytes of an upload to arrive and of a response to be sent. */
const flushMs = 5000;

function assertIds(requiredModels: readonly string[] = [], ids: readonly string[]): void {
  const unknown = requiredModels.find((id) => !ids.includes(id));
  if (unknown === undefined) return;
  throw new UsageError(`requiredModels: expected ids among ${ids.join(', ')}, got ${unknown}`);
}

function statusBeforeLoading(id: string): ModelStatus {
  return { id, state: 'loading', running: 0, waiting: 0 };
}

async function ready(inference: Inference, requiredModels: readonly string[] | undefined): Promise<void> {
  if (requiredModels) await Promise.all(requiredModels.map((id) => inference.load(id)));
  else await inference.ready();
}

async function fetchAll(models: ServeSettings['models'], context: FetchContext) {
  const fetched = new Map<string, ModelOptions>();
  for (const [id, settings] of Object.entries(models)) {
    fetched.set(id, await fetchModel(settings, context).catch(aboutModel(id)));
  }
  return Object.fromEntries(fetched);
}

/** The config file's logger wins; otherwise people and programs get suitable formats. */
function loggerOf({ handler, isQuiet }: ServeSettings, { output }: Terminal): Logger | undefined {
  if (isQuiet) return undefined;
  return handler.logger ?? (output.isTTY ? prettyLogger(output) : jsonLogger(output));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
