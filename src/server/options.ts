import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { orElse, orThrow, type InferenceError } from '../errors.ts';
import { logObserver } from '../observability/log-observer.ts';
import { assertLogger, type Logger } from '../observability/logger.ts';
import { Observers } from '../observers.ts';
import { assertOptions } from '../validation/assert-options.ts';
import { expecting } from '../validation/expecting.ts';
import { wholeNumber } from '../validation/number-schema.ts';
import type { InputsOf, SchemaOf, SettingTable } from '../validation/setting-table.ts';
import { createAuthenticate, type Authentication, type KeyLookup } from './authentication.ts';
import { createCallerStates, type Keeping } from './caller-state.ts';
import { corsSchema, createCors } from './cors.ts';
import { createBodyGate, gateFields, type BodyGateLimits, type ResolvedGateLimits } from './body-gate.ts';
import { defaultMaxBytes } from '../http/headers.ts';
import type { ResponseStore } from '../contracts/caller.ts';
import type { Observer } from '../contracts/observer.ts';
import { guardLimiters, limiterFailures } from './limiter-guard.ts';
import { MemoryResponseStore } from './memory-response-store.ts';
import { createMeterFactory, planSchema } from './plans.ts';
import { printInternal, type FailedRequest } from './print-internal.ts';
import type { LimiterFactory } from './rate-limit.ts';
import { createSockets } from './sockets.ts';
import { unknownFieldTreatments } from './unknown-fields.ts';
import { describeValue } from '../core/text/quote.ts';

/** The request that an error belongs to. */
export interface ErrorContext extends FailedRequest {
  readonly status: number;
}

const milliseconds = wholeNumber(2 ** 31 - 1);

const aFunction = expecting('a function, from a .js or .mjs file');
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isStore = (value: unknown): boolean =>
  ['get', 'set', 'delete'].every((name) => isFunction((value as ResponseStore | null)?.[name as 'get']));

const apiKey = z.union(
  [
    z.string(),
    z.strictObject({
      key: z.string(),
      id: z.union([z.string(), z.int()]).optional(),
      plan: z.string().optional(),
    }),
  ],
  { error: 'expected a key or { "key": … }' },
);

const gateLimits: SchemaOf<BodyGateLimits> = z.strictObject(gateFields);

const socketFields = {
  /** Max bytes of audio buffered per socket until their utterance ends; default 16 MiB. */
  maxBufferBytes: wholeNumber().default(defaultMaxBytes),
  /** Max message size; a larger message closes the socket. Default 1 MiB. */
  maxMessageBytes: wholeNumber(2 ** 30).default(2 ** 20),
  /** Max silence of a client before its socket is closed, in milliseconds; default 300,000. */
  idleTimeoutMs: milliseconds.default(300_000),
  /** Max lifetime of a socket, in milliseconds; default 3,600,000. */
  maxDurationMs: milliseconds.default(3_600_000),
};

/** Limits of WebSockets. */
export interface SocketLimits extends BodyGateLimits, InputsOf<typeof socketFields> {}

const wholeSockets = z.strictObject({ ...gateFields, ...socketFields });
const sockets: z.ZodType<z.output<typeof wholeSockets>, SocketLimits> = wholeSockets;

const keepingFields = {
  /** Default: the memory of this process. Several hosts need a shared store. */
  store: z
    .custom<ResponseStore>(isStore, { error: 'expected an object with get, set and delete' })
    .optional(),
  /**
   * Lifetime of a response, and of a conversation after its last change; default 86,400, a day. Texts are deleted at most a
   * quarter of that later. A response keeps its predecessors alive.
   */
  expirySeconds: wholeNumber().default(86_400),
  /** Max responses and conversations in memory; default 10,000. Beyond that, the largest caller loses the least recently used. */
  maxCount: wholeNumber().optional(),
  /** Max bytes in memory; default 16 × `maxBodyBytes`. */
  maxBytes: z.number().optional(),
  /**
   * Max bytes that one process writes to the `store` per key within `expirySeconds`; default 16 × `maxBodyBytes`. Beyond that,
   * answers have `store: false`, and changes of conversations get 429.
   */
  maxBytesPerKey: z.number().optional(),
  /** Time limit of a call to the `store`, in milliseconds; default 5000. */
  timeoutMs: milliseconds.default(5000),
};

/** How to store responses. */
export interface KeepResponsesOptions extends InputsOf<typeof keepingFields> {}

const wholeKeeping = z.strictObject(keepingFields);
const keeping: z.ZodType<z.output<typeof wholeKeeping>, KeepResponsesOptions> = wholeKeeping;

const authentication: SchemaOf<Authentication> = z.union(
  [z.literal('none'), z.strictObject({ keys: z.array(apiKey) }), z.custom<KeyLookup>(isFunction)],
  { error: 'expected "none", { "keys": [...] } or a function' },
);

export const handlerSettings = {
  /** Permitted clients. No default, so that no service is open by accident; `'none'` opens it. */
  auth: authentication,
  /** Time limit of an `auth` function, in milliseconds; default 5000. Beyond that the request gets 503. */
  authTimeoutMs: milliseconds.default(5000),
  /** Plans by the name in `ApiKey.plan`. */
  plans: z.record(z.string(), planSchema).optional(),
  /**
   * Store for plan limits; default: the memory of this process. Every limiter class of `rate-limiter-flexible` fits: `(options)
   * => new RateLimiterRedis({ storeClient, ...options })`.
   */
  limiter: z.custom<LimiterFactory>(isFunction, aFunction).optional(),
  /** Requests under a plan while the store of `limiter` fails or hangs: `refuse` answers 503, `admit` serves them uncounted. Default `refuse`. */
  onLimiterFailure: z.enum(limiterFailures).default('refuse'),
  /** Time limit of a call to the store of `limiter`, in milliseconds; default 1000. */
  limiterTimeoutMs: milliseconds.default(1000),
  /** Foreign origins with access to the API from a browser; default: no access. */
  cors: corsSchema.optional(),
  /** Max size of a request body; default 16 MiB. Bodies that the host has parsed are limited by its parser. */
  maxBodyBytes: wholeNumber().default(defaultMaxBytes),
  /** Max size of a request body with an audio file; default 128 MiB. */
  maxUploadBytes: wholeNumber().default(2 ** 27),
  /**
   * Max simultaneous uploads, from the first byte until the file is removed; beyond that, 429 for a key, 503 for all. Default:
   * 128 of all callers and 32 per key, 16 and 4 × `maxUploadBytes`.
   */
  uploads: gateLimits.default({}),
  /**
   * Max simultaneous JSON bodies, from the first byte until they are parsed, as `uploads`; the first 64 KiB of each body count
   * only by number. Default: 1024 of all callers and 256 per key, 16 and 4 × `maxBodyBytes`.
   */
  bodies: gateLimits.default({}),
  /** Limits of the WebSockets of `serveWebSockets`. */
  sockets: sockets.prefault({}),
  /**
   * Time limit for receiving a body, in milliseconds; default 300,000. Beyond that it gets 408, or earlier below 1 KiB per second
   * for 20 s. A client's own `x-request-timeout` shortens it.
   */
  bodyTimeoutMs: milliseconds.default(300_000),
  /**
   * Reuse prompt prefixes across all keys; default false: only within a key or keys with the same `id`. For services with callers
   * that trust each other; otherwise list shared prompts in a model's `sharedSystemPrompts`.
   */
  sharedPrefixes: z
    .boolean({
      error: ({ input }) =>
        `expected a boolean, got ${describeValue(input)}; a model's \`sharedSystemPrompts\` takes texts`,
    })
    .default(false),
  /**
   * Stores the answers of `POST /v1/responses` and their conversations, for `previous_response_id` and item references; each key,
   * or keys with the same `id`, can only access its own. `true` uses all defaults. Default: off.
   */
  keepResponses: z
    .union([z.boolean(), keeping], { error: 'expected a boolean or { "expirySeconds": … }' })
    .default(false),
  /**
   * Secret of at least 32 characters that encrypts `reasoning.encrypted_content`. Several hosts need the same secret. Default:
   * random, lost when the process ends.
   */
  reasoningSecret: z.string().min(32, { error: 'expected a text of at least 32 characters' }).optional(),
  /**
   * Unknown top-level fields of a body: `ignore` lists them in the response header `x-ignored-fields`, `refuse` answers 400, for
   * client tests. Default `ignore`.
   */
  unknownFields: z.enum(unknownFieldTreatments).default('ignore'),
  /** Directory of audio files during transcription; default: the system's temporary directory. */
  uploadDirectory: z
    .string()
    .min(1, { error: 'expected the path of a directory, got ""' })
    .default(() => tmpdir()),
  /**
   * Max silence of a stream before a comment is sent, in milliseconds; default 15,000. Failures within this time and before the
   * first event keep their own status.
   */
  keepAliveMs: milliseconds.default(15_000),
  /**
   * Called for every failure with a 5xx status, also during a stream. The original error is its `cause`. Default: prints internal
   * errors (500) to the console, unless there is a `logger`.
   */
  onError: z.custom<(error: InferenceError, context: ErrorContext) => void>(isFunction, aFunction).optional(),
  /** Logs a line per request and per model event; no prompts, keys or files. Default: no logging. */
  logger: z.custom<Logger>(isObject, expecting('a logger such as pino, from a .js or .mjs file')).optional(),
  /** Observers of this handler and its inference, such as the observers of `slashv1/metrics` and `slashv1/telemetry`. */
  observers: z
    .custom<readonly Observer[]>(
      (value) => Array.isArray(value) && value.every(isObject),
      expecting('a list of observers, from a .js or .mjs file'),
    )
    .optional(),
} satisfies SettingTable;

/** Options of `createHandler`; only `auth` is required. */
export interface HandlerOptions extends InputsOf<typeof handlerSettings> {}

const { auth: _auth, ...besideAuth } = handlerSettings;
const optionsBesideAuth = z.object(besideAuth);

export type Settings = ReturnType<typeof resolveOptions>;

const freeBytes = 2 ** 16;

/** @throws TypeError or RangeError naming the invalid option */
export function resolveOptions(options: HandlerOptions) {
  assertHandlerOptions(options);
  const { auth } = options;
  const given = optionsBesideAuth.parse(options);
  const authenticate = createAuthenticate(auth, { timeoutMs: given.authTimeoutMs, plans: given.plans });
  const { plans, limiter, maxBodyBytes, maxUploadBytes, logger, observers = [], ...further } = given;
  if (auth === 'none' && plans !== undefined)
    throw new TypeError("plans: not allowed if auth is 'none', since no key can refer to a plan");
  if (logger !== undefined) assertLogger(logger);
  const failures = {
    onFailure: given.onLimiterFailure,
    timeoutMs: given.limiterTimeoutMs,
    report: (message: string, cause?: unknown) =>
      orElse(() => reportStore(logger, message, cause), undefined),
  };
  // A failing hook must not end the response.
  const hooks = new Observers([
    { onError: given.onError ?? (logger === undefined ? printInternal : undefined) },
  ]);
  const uploads = { count: 128, maxBytes: maxUploadBytes, maxOption: 'maxUploadBytes' };
  const bodies = { count: 1024, maxBytes: maxBodyBytes, maxOption: 'maxBodyBytes' };
  return {
    authenticate,
    meterOf: createMeterFactory(plans, limiter && guardLimiters(limiter, failures)),
    callerOf: createCallerStates(resolveKeeping(given.keepResponses, maxBodyBytes), given.reasoningSecret),
    ...further,
    cors: given.cors && createCors(given.cors),
    maxBodyBytes,
    maxUploadBytes,
    uploadGate: createBodyGate('uploads', resolveGate('uploads', given.uploads, uploads)),
    jsonGate: createBodyGate('JSON bodies', resolveGate('bodies', given.bodies, bodies), freeBytes),
    sockets: resolveSockets(given.sockets, given.keepAliveMs),
    // A worker may have a different working directory.
    uploadDirectory: resolve(given.uploadDirectory),
    onError: (...failure: Parameters<NonNullable<HandlerOptions['onError']>>) =>
      hooks.tell('onError', ...failure),
    observers: new Observers(logger === undefined ? observers : [...observers, logObserver(logger)]),
  };
}

/** @throws TypeError. `createAuthenticate` reports authentication errors beyond names. */
function assertHandlerOptions(options: HandlerOptions): void {
  const { auth } = options;
  const assertAll = (): void => {
    assertOptions('createHandler', { ...handlerSettings, auth: z.unknown() }, options);
    if (typeof auth === 'object' && auth !== null)
      assertOptions('auth', { keys: z.unknown() }, auth, { path: 'auth' });
  };
  orThrow(assertAll, (cause) => new TypeError(cause.message.replace(/\.$/, ''), { cause }));
}

function resolveGate(
  name: 'uploads' | 'bodies' | 'sockets',
  limits: BodyGateLimits,
  { count: ofAll, ...bound }: { count: number; maxBytes: number; maxOption: string },
): ResolvedGateLimits {
  const times = (factor: number): number => Math.min(factor * bound.maxBytes, Number.MAX_SAFE_INTEGER);
  const { count = ofAll, countPerKey = ofAll / 4, bytes = times(16), bytesPerKey = times(4) } = limits;
  assertAtLeast(`${name}.bytes`, bytes, bound);
  assertAtLeast(`${name}.bytesPerKey`, bytesPerKey, bound);
  return { count, countPerKey, bytes, bytesPerKey };
}

function assertAtLeast(
  label: string,
  value: number,
  { maxBytes, maxOption }: { maxBytes: number; maxOption: string },
): void {
  if (Number.isSafeInteger(value) && value >= maxBytes) return;
  throw new RangeError(`${label}: expected an integer of at least ${maxOption}, ${maxBytes}, got ${value}`);
}

function resolveSockets(limits: z.output<typeof sockets>, keepAliveMs: number) {
  const bound = { count: 128, maxBytes: limits.maxBufferBytes, maxOption: 'sockets.maxBufferBytes' };
  const gate = createBodyGate('sockets', resolveGate('sockets', limits, bound));
  return createSockets(gate, { ...limits, keepAliveMs });
}

function resolveKeeping(
  asked: boolean | z.output<typeof keeping>,
  maxBodyBytes: number,
): Keeping | undefined {
  if (asked === false) return undefined;
  const options = asked === true ? keeping.parse({}) : asked;
  const { store, expirySeconds, timeoutMs, maxCount = 10_000 } = options;
  const defaultKeptBytes = Math.min(16 * maxBodyBytes, Number.MAX_SAFE_INTEGER);
  const { maxBytes = defaultKeptBytes, maxBytesPerKey = defaultKeptBytes } = options;
  if (store !== undefined && (options.maxCount ?? options.maxBytes) !== undefined)
    throw new TypeError('keepResponses: expected no `maxCount` and `maxBytes` with a `store`');
  if (store === undefined && options.maxBytesPerKey !== undefined)
    throw new TypeError('keepResponses: expected a `store` with `maxBytesPerKey`');
  const bound = { maxBytes: maxBodyBytes, maxOption: 'maxBodyBytes' };
  assertAtLeast('keepResponses.maxBytes', maxBytes, bound);
  assertAtLeast('keepResponses.maxBytesPerKey', maxBytesPerKey, bound);
  return {
    store: store ?? new MemoryResponseStore({ maxCount, maxBytes }),
    isShared: store !== undefined,
    expirySeconds,
    timeoutMs,
    maxTextBytes: maxBodyBytes,
    maxBytesPerKey,
  };
}

/** An outage affects all requests, so it is reported once, not per request. */
function reportStore(logger: Logger | undefined, message: string, cause: unknown): void {
  if (logger) logger.warn(cause === undefined ? {} : { err: cause }, message);
  else
    process.emitWarning(cause instanceof Error ? `${message} ${cause.message}` : message, 'Slashv1Warning');
}
