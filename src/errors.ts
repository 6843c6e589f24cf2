import { quote } from './core/text/quote.ts';

export { orElse } from './core/text/or-else.ts';

/** Codes of errors, as stable strings. The server maps each to one HTTP status. */
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

/** Fields of an `InferenceError` beside its code and message. */
export interface InferenceErrorOptions {
  /** The field at fault, in the caller's spelling: `temperature`, `messages[3].tool_call_id`. */
  param?: string | undefined;
  /** When it is worth trying again, in seconds. */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** An error as it crosses a process border. */
export interface SerializedError {
  code: ErrorCode;
  message: string;
  param?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The error of one field that can't be accepted: `field: expected X, got Y.` */
export function fieldError(
  param: string,
  reason: string,
  { code = 'invalid_request', cause }: { code?: ErrorCode; cause?: unknown } = {},
): InferenceError {
  return new InferenceError(code, sentence(`${param}: ${reason}`), { param, cause });
}

/** The error of a model that is asked for the work of another category. */
export function wrongCategory(id: string, category: string, wanted: string): InferenceError {
  return fieldError('model', `expected a model for ${wanted}, got ${quote(id)}, a model for ${category}`);
}

/** A field that asks for something that is not offered. */
export function unsupportedError(param: string, reason: string): InferenceError {
  return fieldError(param, reason, { code: 'unsupported_feature' });
}

/** The error of a text that is too long for its model, in the words by which clients recognize it. */
export function contextLengthError(param: string, contextLength: number, reason: string): InferenceError {
  const message = `This model's maximum context length is ${contextLength} tokens. However, ${reason}.`;
  return new InferenceError('context_length_exceeded', message, { param });
}

/**
 * The error of a field, out of an error of the core: `label: expected X, got Y`. Anything else that was thrown stays as it is,
 * since its words may be those of an engine or a library.
 * @param param the field as the caller spells it, in place of the label
 */
export function fieldErrorOf(param: string, error: unknown): unknown {
  const isOfCore = error instanceof TypeError || error instanceof RangeError;
  const [label, reason] = isOfCore ? (/^[\w.[\]]+: ([^]+)$/.exec(error.message) ?? []) : [];
  return label === undefined ? error : fieldError(param, reason!, { cause: error });
}

/** Calls a function; an error that it throws becomes another one. */
export function orThrow<Value>(work: () => Value, toError: (error: Error) => unknown): Value {
  try {
    return work();
  } catch (error) {
    throw toError(error as Error);
  }
}

/** Calls a function of the core, whose errors become those of a field. */
export function inField<T>(param: string, work: () => T): T {
  return orThrow(work, (error) => fieldErrorOf(param, error));
}

/** The words of something that was thrown, which need not be an error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same error about the field that another dialect, or another place of the request, has in place of its `param`. */
export function renameFields(thrown: unknown, rename: (field: string) => string): unknown {
  if (!InferenceError.isInstance(thrown) || thrown.param === undefined) return thrown;
  const param = rename(thrown.param);
  const message = thrown.message.startsWith(`${thrown.param}: `)
    ? param + thrown.message.slice(thrown.param.length)
    : thrown.message;
  const { code, retryAfterSeconds } = thrown;
  return new InferenceError(code, sentence(message), { param, retryAfterSeconds, cause: thrown });
}

/** A text with a full stop at its end, if it has no other mark there. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

const diskFull = ['insufficient_storage', 'The service has no room left for files.'] as const;
const noFolder = ['insufficient_storage', 'The service has no folder for temporary files.'] as const;
const tooManyFiles = ['overloaded', 'The service has too many files and connections open.'] as const;

/** Ends a run whose request was cancelled, at a place where it can be left. */
export function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new InferenceError('cancelled', 'The request was cancelled.');
}

/** Waits for work that its signal ends with a reason of its own; then the request was cancelled. */
export async function whileWanted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    assertWanted(signal);
    throw error;
  });
}

/** Transient shortages of the system, by the code of its error. */
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

  /** True for errors of this class, also from another installed copy of the package. */
  static isInstance(error: unknown): error is InferenceError {
    return typeof error === 'object' && error !== null && marker in error;
  }

  /** Wraps anything thrown and keeps it as the cause; what is unknown becomes `internal`. */
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
