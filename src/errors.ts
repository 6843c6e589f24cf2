import { quote } from './core/text/quote.ts';

export { orElse } from './core/text/or-else.ts';

/** Stable error codes. The server maps each to an HTTP status. */
export type ErrorCode =
  | 'invalid_request'
  | 'context_length_exceeded'
  | 'unsupported_feature'
  | 'authentication_failed'
  | 'quota_exceeded'
  | 'upgrade_required'
  | 'model_not_found'
  | 'response_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'cancelled'
  | 'internal'
  | 'worker_failed'
  | 'overloaded'
  | 'insufficient_storage'
  | 'deadline_exceeded';

/** Fields of an `InferenceError` in addition to code and message. */
export interface InferenceErrorOptions {
  /** The invalid field in the caller's spelling: `temperature`, `messages[3].tool_call_id`. */
  param?: string | undefined;
  /** Suggested wait before a retry, in seconds. */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** An error in transit between processes. */
export interface SerializedError {
  code: ErrorCode;
  message: string;
  param?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The error of an invalid field: `field: expected X, got Y.` */
export function fieldError(
  param: string,
  reason: string,
  { code = 'invalid_request', cause }: { code?: ErrorCode; cause?: unknown } = {},
): InferenceError {
  return new InferenceError(code, sentence(`${param}: ${reason}`), { param, cause });
}

export function wrongCategory(id: string, category: string, wanted: string): InferenceError {
  return fieldError('model', `expected a model for ${wanted}, got ${quote(id)}, a model for ${category}`);
}

export function unsupportedError(param: string, reason: string): InferenceError {
  return fieldError(param, reason, { code: 'unsupported_feature' });
}

/** A too long text, in the words that clients recognize. */
export function contextLengthError(param: string, contextLength: number, reason: string): InferenceError {
  const message = `This model's maximum context length is ${contextLength} tokens. However, ${reason}.`;
  return new InferenceError('context_length_exceeded', message, { param });
}

/**
 * Converts an error of the core, `label: expected X, got Y`, to the error of a field. Returns different errors unchanged, since
 * their words may come from an engine or a library.
 * @param param the field in the caller's spelling, in place of the label
 */
export function fieldErrorOf(param: string, error: unknown): unknown {
  const isOfCore = error instanceof TypeError || error instanceof RangeError;
  const [label, reason] = isOfCore ? (/^[\w.[\]]+: ([^]+)$/.exec(error.message) ?? []) : [];
  return label === undefined ? error : fieldError(param, reason!, { cause: error });
}

/** Calls a function and maps its error. */
export function orThrow<Value>(work: () => Value, toError: (error: Error) => unknown): Value {
  try {
    return work();
  } catch (error) {
    throw toError(error as Error);
  }
}

/** Calls a function of the core and maps its errors to a field. */
export function inField<T>(param: string, work: () => T): T {
  return orThrow(work, (error) => fieldErrorOf(param, error));
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Replaces an error's `param`, for a different dialect or place in the request. */
export function renameFields(thrown: unknown, rename: (field: string) => string): unknown {
  if (!InferenceError.isInstance(thrown) || thrown.param === undefined) return thrown;
  const param = rename(thrown.param);
  const message = thrown.message.startsWith(`${thrown.param}: `)
    ? param + thrown.message.slice(thrown.param.length)
    : thrown.message;
  const { code, retryAfterSeconds } = thrown;
  return new InferenceError(code, sentence(message), { param, retryAfterSeconds, cause: thrown });
}

/** Adds a full stop if missing. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

const diskFull = ['insufficient_storage', 'The service has no disk space left.'] as const;
const noFolder = ['insufficient_storage', 'The service has no folder for temporary files.'] as const;
const tooManyFiles = ['overloaded', 'The service has too many files and connections open.'] as const;

/** Ends a cancelled run at a safe point. */
export function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new InferenceError('cancelled', 'The request was cancelled.');
}

/** Awaits work with an abort signal; converts its abort error to `cancelled`. */
export async function whileWanted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    assertWanted(signal);
    throw error;
  });
}

/** Transient shortages of the system, by error code. */
const exhaustions: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  EAGAIN: ['overloaded', 'The service has too many processes running.'],
};

const marker = Symbol.for('slashv1.InferenceError');

/**
 * The only error class of this package.
 *
 * @example
 * ```ts
 * const error: unknown = new InferenceError('overloaded', 'The queue is full.', { retryAfterSeconds: 3 });
 * if (InferenceError.isInstance(error) && error.code === 'overloaded') {
 *   console.log(`Try again in ${error.retryAfterSeconds} s.`);
 * }
 * ```
 */
export class InferenceError extends Error {
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly [marker] = true;

  constructor(code: ErrorCode, message: string, options: InferenceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'InferenceError';
    this.code = code;
    this.param = options.param;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** True for errors of this class, even from a different installed copy of the package. */
  static isInstance(error: unknown): error is InferenceError {
    return typeof error === 'object' && error !== null && marker in error;
  }

  /** Wraps any thrown value as the cause; unknown errors become `internal`. */
  static from(error: unknown): InferenceError {
    if (InferenceError.isInstance(error)) return error;
    const { code: fault = '', syscall } = (error ?? {}) as NodeJS.ErrnoException;
    const [code, message] = exhaustions[fault] ?? (syscall === 'mkdtemp' ? noFolder : []);
    if (code) return new InferenceError(code, message!, { retryAfterSeconds: 10, cause: error });
    return new InferenceError('internal', 'Internal error.', { cause: error });
  }

  static deserialize(error: SerializedError): InferenceError {
    return new InferenceError(error.code, error.message, error);
  }

  serialize(): SerializedError {
    const { code, message, param, retryAfterSeconds } = this;
    return { code, message, param, retryAfterSeconds };
  }
}
