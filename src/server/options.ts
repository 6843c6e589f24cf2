import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { InferenceError } from '../errors.ts';
import { createAuthenticate, type Authenticate, type Authentication } from './authentication.ts';
import { describeValue } from './issues.ts';
import { createMeterFactory, type MeterFactory, type Plan } from './plans.ts';
import type { LimiterFactory } from './rate-limit.ts';

/** Which request an error belongs to. */
export interface ErrorContext {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
}

/** How `createHandler` guards and delivers; only `auth` is needed. */
export interface HandlerOptions {
  /** Who may use the service. There is no default, so that nobody opens one by accident; `'none'` opens it. */
  readonly auth: Authentication;
  /** What keys may do, by the name in `ApiKey.plan`. */
  readonly plans?: Readonly<Record<string, Plan>> | undefined;
  /**
   * Where plans are counted; default: in the memory of this process. Every limiter class of `rate-limiter-flexible`
   * fits: `(options) => new RateLimiterRedis({ storeClient, ...options })`.
   */
  readonly limiter?: LimiterFactory | undefined;
  /** Largest request body; default 16 MiB. Bodies that the host has parsed are limited by its parser. */
  readonly maxBodyBytes?: number | undefined;
  /** Largest request body with an audio file; default 128 MiB. */
  readonly maxUploadBytes?: number | undefined;
  /** Where audio files lie while they are transcribed; default: the system's directory for temporary files. */
  readonly uploadDirectory?: string | undefined;
  /**
   * Longest silence of a stream before a comment is sent, in milliseconds; default 15,000. As long, a failure before
   * the first event is still answered with its own status.
   */
  readonly keepAliveMs?: number | undefined;
  /**
   * Told of every failure with a 5xx status, also amid a stream. The error's `cause` is what was thrown. Default:
   * prints internal errors (500) to the console.
   */
  readonly onError?: ((error: InferenceError, context: ErrorContext) => void) | undefined;
}

/** Checked options. */
export interface Settings {
  readonly authenticate: Authenticate;
  readonly meterOf: MeterFactory;
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  readonly uploadDirectory: string;
  readonly keepAliveMs: number;
  readonly onError: (error: InferenceError, context: ErrorContext) => void;
}

const longestTimerMs = 2 ** 31 - 1;

/**
 * @throws TypeError or RangeError naming the option at fault
 */
export function resolveOptions(options: HandlerOptions): Settings {
  const {
    auth,
    plans,
    limiter,
    maxBodyBytes = 16 * 1024 * 1024,
    maxUploadBytes = 128 * 1024 * 1024,
    uploadDirectory = tmpdir(),
    keepAliveMs = 15_000,
    onError = printInternal,
  } = options;
  assertInteger('maxBodyBytes', maxBodyBytes, Number.MAX_SAFE_INTEGER);
  assertInteger('maxUploadBytes', maxUploadBytes, Number.MAX_SAFE_INTEGER);
  if (typeof uploadDirectory !== 'string' || uploadDirectory === '') {
    throw new TypeError(
      `uploadDirectory: expected the path of a directory, got ${describeValue(uploadDirectory)}`,
    );
  }
  assertInteger('keepAliveMs', keepAliveMs, longestTimerMs);
  if (auth === 'none' && plans !== undefined) {
    throw new TypeError("plans: expected none where auth is 'none', since no key can name one");
  }
  const authenticate = createAuthenticate(auth);
  assertKnownPlans(auth, plans);
  return {
    authenticate,
    meterOf: createMeterFactory(plans, limiter),
    maxBodyBytes,
    maxUploadBytes,
    // A worker may have another working directory.
    uploadDirectory: resolve(uploadDirectory),
    keepAliveMs,
    onError,
  };
}

function assertInteger(label: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw new RangeError(`${label}: expected an integer from 1 to ${max}, got ${value}`);
}

function assertKnownPlans(auth: Authentication, plans: HandlerOptions['plans'] = {}): void {
  if (typeof auth !== 'object') return;
  for (const entry of auth.keys ?? []) {
    const plan = typeof entry === 'string' ? undefined : entry.plan;
    if (plan === undefined || Object.hasOwn(plans, plan)) continue;
    throw new TypeError(`auth: expected the name of one of the plans, got ${plan}`);
  }
}

function printInternal(error: InferenceError, { requestId, method, url }: ErrorContext): void {
  if (error.code === 'internal')
    console.error(`slashv1: ${method} ${url} (${requestId}) failed:`, error.cause ?? error);
}
