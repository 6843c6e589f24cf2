import { z } from 'zod';
import { backendOf } from './backends/registry.ts';
import type { CallOptions, CompleteRequest, RunEvent } from './contracts/run.ts';
import type { CategoryDefinition } from './contracts/category.ts';
import type { ModelInfo, ModelOptions } from './contracts/model.ts';
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
import { isChecked, markChecked } from './validation/checked-request.ts';
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

/** The models that `createInference` starts, and how. */
export interface InferenceOptions extends RoomLimits {
  /** Model id → where the model comes from and its limits; see `chat()`. */
  readonly models: Readonly<Record<string, AnyModelOptions | VoiceModel>>;
  /**
   * `process` (default): each replica is a child process, so the calling process never waits for a tensor and survives
   * a crash. `inline`: in the calling process, for scripts and unit tests.
   */
  readonly isolation?: 'process' | 'inline' | undefined;
  /**
   * Models that are in memory at once; default: all. One more unloads the model that was used least of late, when the
   * requests that it has have ended. Models on other machines don't count.
   */
  readonly maxLoadedModels?: number | undefined;
  /**
   * Memory of the models that are loaded at once, by the resident memory of their processes when they were loaded. A
   * model's size is known after its first load, so until then more may be taken; a larger one is loaded alone.
   */
  readonly maxLoadedBytes?: number | undefined;
  /** Gets a line when a model is loaded or lost, and for every run that belongs to no handler's request. Default: none. */
  readonly logger?: Logger | undefined;
  /** Observers from the beginning; a handler adds its own. */
  readonly observers?: readonly InferenceObserver[] | undefined;
}

/** Also settings of the command line's config file. */
export const roomSettings = {
  maxLoadedModels: integerSetting('Models that are in memory at once; default: all.'),
  maxLoadedBytes: integerSetting('Memory of the models that are loaded at once; default: no limit.'),
} satisfies SettingTable & Record<keyof RoomLimits, unknown>;

const inferenceSettings = {
  models: objectSetting('The models by their ids.', 'an object of ids and models'),
  isolation: choiceSetting('Where the models run; default `process`.', ['process', 'inline']),
  ...roomSettings,
  logger: objectSetting<Logger>('Gets lines about models and runs.', 'a logger'),
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

/** @throws InferenceError for an option that no run has */
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
 * Starts the given models, those aside that load on demand.
 *
 * @throws InferenceError `invalid_request` for a setting that doesn't exist, has another type or is out of range. Files
 * that are missing show in `ready()`
 *
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
  const startHere = inlineReplicas(loadHere);
  const startLocal = isolation === 'inline' ? startHere : childReplicas({ worker: workerFile() });
  const isElsewhere = (model: Parameters<typeof backendOf>[0]) => backendOf(model)?.place === 'host';
  /** Facts about a model that the engine doesn't know. */
  const factsOf = (model: ModelOptions) => {
    const isHere = !isElsewhere(model);
    const facts = {
      defaults: model.defaults,
      demo: isHere ? findBundledModel(model.source) : undefined,
      ownedBy: isHere ? publisherOf(model.source) : 'remote',
      atHand: {} as FactsAtHand,
    };
    // Loading reports why files can't be read.
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
    engine.add(id, model);
    facts.set(id, factsOf(model));
  };
  // Every request looks at them: the same facts are the same object.
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

function definitionOf(name: string): CategoryDefinition {
  const definition = categories.get(name);
  if (definition) return definition;
  const known = [...categories.keys()].join(', ');
  throw fieldError('category', `expected one of ${known}, got ${describeValue(name)}`);
}

/** Fills in the defaults, those of the model first. */
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

/** The in-process functions of all categories, over the one that starts a run. */
export function methodsOver(run: InferenceBase['run']): CategoryMethods {
  const methods = [...categories.values()].map(({ name, methods: create }) =>
    create((request, options) => run(name, request as AnyRequest, options)),
  );
  return Object.assign({}, ...methods) as CategoryMethods;
}

/** Imported late: a host whose models run in child processes loads no native code. */
const loadHere: LoadPipeline = async (...load) =>
  (await import('./loading/load-pipeline.ts')).loadPipeline(...load);
