type Log = (fields: object, message?: string) => void;

/** Destination of log lines: a logger of `pino` or of the same shape, or the `console`. */
export interface Logger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
  /** Creates a logger with these fields in every line. */
  child?: ((fields: Record<string, unknown>) => Logger) | undefined;
}

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** @throws TypeError */
export function assertLogger(logger: Logger): void {
  if (levels.every((level) => typeof logger?.[level] === 'function')) return;
  throw new TypeError(`logger: expected an object with the methods ${levels.join(', ')}`);
}
