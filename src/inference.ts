import { z } from 'zod';
import { backendOf } from './backends/registry.ts';
import type { CallOptions, CompleteRequest, RunEvent } from './contracts/run.ts';
import type { CategoryDefinition } from './contracts/category.ts';
import type { ModelInfo, ModelOptions, ModelSpec } from './contracts/model.ts';
import {
  categories,
  type AnyModelInfo,
  type AnyModelOptions,
  type Categories,
  type Category,
  type CategoryMethods,
} from './categories/registry.ts';
import { failedStream } from './concurrency/event-stream.ts';
import type { AnyRequest, InferenceBase, ModelControl } from './contracts/engine.ts';
import { childReplicas } from './engine/child-replica.ts';
import { createEngine } from './engine/create-engine.ts';
import { inlineReplicas } from './engine/inline-replica.ts';
import type { LoadPipeline } from './engine/protocol.ts';
import type { InferenceObserver as AnyObserver } from './contracts/observer.ts';
import { fieldError, InferenceError } from './errors.ts';
import type { RoomLimits } from './engine/room.ts';
import { assertNodeVersion } from './node-version.ts';
import { publisherOf, readFactsAtHand, type FactsAtHand } from './loading/facts.ts';
import { checkModel, checkModels } from './loading/settings.ts';
import { findBundledModel } from './folder/bundled-models.ts';
import { logObserver } from './observability/log-observer.ts';
import { assertLogger, type Logger } from './observability/logger.ts';
import type { InferenceObserver } from './typed-observers.ts';
import { assertOptions } from './validation/assert-options.ts';
import { isChecked, markChecked } from './validation/request-table.ts';
import {
  choiceSetting,
  integerSetting,
  objectSetting,
  type SettingTable,
} from './validation/setting-table.ts';
import { getOrCreate } from './core/get-or-create.ts';
import { describeValue } from './core/text/quote.ts';
import { splitVoices, withVoices, type VoiceMethods } from './realtime/agent/with-voices.ts';
import { assertVoice, type VoiceModel } from './realtime/agent/voice.ts';
import { workerFile } from './worker-file.ts';

/** Options of `createInference`: the models to start, and how. */
export interface InferenceOptions extends RoomLimits {
  /** Model id → source, settings and limits; see `chat()`. */
  readonly models: Readonly<Record<string, AnyModelOptions | VoiceModel>>;
  /**
   * `process` (default): each replica is a child process, so the calling process is never blocked by a tensor and survives a
   * crash. `inline`: in the calling process, for scripts and unit tests.
   */
  readonly isolation?: 'process' | 'inline' | undefined;
  /**
   * Max models in memory; default: all. Loading one more unloads the least recently used, once its requests have ended. Remote
   * models don't count.
   */
  readonly maxLoadedModels?: number | undefined;
  /**
   * Max memory of loaded models, by their processes' resident memory after loading. A model's size is unknown before its first
   * load, so the limit may be exceeded until then; a larger model is loaded alone.
   */
  readonly maxLoadedBytes?: number | undefined;
  /** Logs model loads and losses, and every run outside a handler's request. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Initial observers; handlers add their own. */
  readonly observers?: readonly InferenceObserver[] | undefined;
}

/** Shared with the command line's config file. */
export const roomSettings = {
  maxLoadedModels: integerSetting('Maximum models in memory; default: all.'),
  maxLoadedBytes: integerSetting('Maximum memory of loaded models, in bytes; default: no limit.'),
} satisfies SettingTable & Record<keyof RoomLimits, unknown>;

const inferenceSettings = {
  models: objectSetting('The models by id.', 'an object of ids and models'),
  isolation: choiceSetting('Isolation of the models; default `process`.', ['process', 'inline']),
  ...roomSettings,
  logger: objectSetting<Logger>('Logs models and runs.', 'a logger'),
  observers: objectSetting('Receive all events.', 'a list of observers', Array.isArray),
} satisfies SettingTable & Record<keyof InferenceOptions, unknown>;

const callSettings = {
  signal: objectSetting<AbortSignal>(
    'Cancels the request.',
    'an AbortSignal',
    (value) => value instanceof AbortSignal,
  ),
  deadlineMs: z.unknown(),
  origin: z.unknown(),
  responseId: z.unknown(),
  onDispatch: z.unknown(),
  owner: z.string().optional(),
  sharesPrefixes: z.boolean().optional(),
  mayRestart: z.boolean().optional(),
} satisfies SettingTable & Record<keyof CallOptions, unknown>;

/** @throws InferenceError for an unknown option */
export function assertCallOptions(options: CallOptions | undefined): void {
  if (options !== undefined) assertOptions('A run', callSettings, options);
}

/** All models of a service, usable with or without HTTP. */
export interface Inference
  extends InferenceBase, ModelControl<AnyModelOptions | VoiceModel>, CategoryMethods, VoiceMethods {
  run<C extends Category>(
    category: C,
    request: Categories[C]['input'],
    options?: CallOptions,
  ): AsyncIterable<Categories[C]['event']>;
  run(category: string, request: AnyRequest, options?: CallOptions): AsyncIterable<RunEvent>;
  models(): readonly AnyModelInfo[];
  observe(observer: InferenceObserver): () => void;
}

/**
 * Starts the given models, except models that load on demand.
 *
 * @throws InferenceError `invalid_request` for an unknown, mistyped or out-of-range setting. Missing files
 * are reported by `ready()`
 * @example
 * ```ts
 * const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
 * const messages = [{ role: 'user', content: 'What is 2 + 3?' }] as const;
 * for await (const event of inference.chat({ model: 'tiny-chat', messages })) {
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * }
 * await inference.close();
 * ```
 */
export function createInference(options: InferenceOptions): Inference {
  assertNodeVersion();
  assertOptions('createInference', inferenceSettings, options);
  const { isolation = 'process', logger, observers = [], maxLoadedModels, maxLoadedBytes } = options;
  if (logger !== undefined) assertLogger(logger);
  const { voices, others } = splitVoices(options.models);
  const models = checkModels(others);
  for (const [id, agent] of Object.entries(voices))
    assertVoice(`models.${id}`, agent, (part) => models[part] && (models[part].category ?? 'unknown'));
  const assertWarmUp = (id: string, { warmUp }: ModelOptions): void => {
    if (isolation === 'inline' && warmUp)
      throw fieldError(`models.${id}.warmUp`, 'expected a worker, which isolation: "process" gives it');
  };
  for (const [id, model] of Object.entries(models)) assertWarmUp(id, model);
  const startHere = inlineReplicas(loadHere);
  const startLocal = isolation === 'inline' ? startHere : childReplicas({ worker: workerFile(), warmUpFor });
  const isElsewhere = (model: Parameters<typeof backendOf>[0]) => backendOf(model)?.place === 'host';
  /** Model facts outside the engine. */
  const factsOf = (model: ModelOptions) => {
    const isHere = !isElsewhere(model);
    const facts = {
      defaults: model.defaults,
      demo: isHere ? findBundledModel(model.source) : undefined,
      ownedBy: isHere ? publisherOf(model.source) : 'remote',
      atHand: {} as FactsAtHand,
    };
    // Loading reports unreadable files.
    if (isHere)
      void readFactsAtHand(model).then(
        (found) => (facts.atHand = found),
        () => undefined,
      );
    return facts;
  };
  const facts = new Map(Object.entries(models).map(([id, model]) => [id, factsOf(model)]));
  const engine = createEngine({
    models,
    categories,
    startReplica: (spec, ...listeners) => (isElsewhere(spec) ? startHere : startLocal)(spec, ...listeners),
    maxLoadedModels,
    maxLoadedBytes,
    takesRoom: (model) => !isElsewhere(model),
    observers: [...(observers as readonly AnyObserver[]), ...(logger ? [logObserver(logger)] : [])],
  });
  const run = (name: string, request: AnyRequest, callOptions?: CallOptions): AsyncIterable<RunEvent> => {
    try {
      if (!isChecked(request)) assertCallOptions(callOptions);
      const { defaults } = facts.get(request?.model) ?? {};
      return engine.run(name, completeRequest(definitionOf(name), request, defaults), callOptions);
    } catch (error) {
      return failedStream(InferenceError.from(error));
    }
  };
  const add = (id: string, given: unknown): void => {
    const model = checkModel(`models.${id}`, given);
    assertWarmUp(id, model);
    engine.add(id, model);
    facts.set(id, factsOf(model));
  };
  // Cached, since every request reads them and identity matters to caches.
  const described = new WeakMap<ModelInfo, ModelInfo>();
  const withFacts = (info: ModelInfo): ModelInfo => {
    const { demo, ownedBy = info.ownedBy, atHand = {} } = facts.get(info.id) ?? {};
    if (info.ownedBy === ownedBy && !demo) return info;
    return getOrCreate(described, info, () => ({
      ...info,
      ...(demo && { demo }),
      ownedBy,
      category: info.category === 'unknown' ? (atHand.category ?? info.category) : info.category,
      contextLength: info.contextLength ?? atHand.contextLength,
      created: info.created || (atHand.created ?? 0),
    }));
  };
  const infos = (): readonly ModelInfo[] => engine.models().map(withFacts);
  const whole = { ...engine, run, add, models: infos, ...methodsOver(run) };
  return withVoices(whole as never, voices) as Inference;
}

function warmUpFor(spec: ModelSpec, { id, category }: ModelInfo): unknown {
  const { warmUp, complete } = definitionOf(category);
  const isForeign = backendOf(spec)?.foreignSettings.includes('warmUp');
  return warmUp && !isForeign ? complete({ ...warmUp, model: id }) : undefined;
}

function definitionOf(name: string): CategoryDefinition {
  const definition = categories.get(name);
  if (definition) return definition;
  const known = [...categories.keys()].join(', ');
  throw fieldError('category', `expected one of ${known}, got ${describeValue(name)}`);
}

/** Fills in the defaults, the model's first. */
function completeRequest(
  { complete, parameters }: CategoryDefinition,
  request: AnyRequest,
  defaults: Readonly<Record<string, unknown>> | undefined,
): AnyRequest & CompleteRequest {
  let given = request as AnyRequest & Record<string, unknown>;
  if (defaults) {
    given = { ...given };
    for (const [name, value] of Object.entries(defaults)) given[name] ??= value;
    if (isChecked(request)) markChecked(given);
  }
  const whole = complete(given) as AnyRequest;
  return { ...whole, given: Object.keys(parameters).filter((name) => (given[name] ?? null) !== null) };
}

/** The in-process functions of all categories, based on `run`. */
export function methodsOver(run: InferenceBase['run']): CategoryMethods {
  const methods = [...categories.values()].map(({ name, methods: create }) =>
    create((request, options) => run(name, request as AnyRequest, options)),
  );
  return Object.assign({}, ...methods) as CategoryMethods;
}

/** Imported lazily: a host with models in child processes loads no native code. */
const loadHere: LoadPipeline = async (...load) =>
  (await import('./loading/load-pipeline.ts')).loadPipeline(...load);
