import type { RunEnd } from '../contracts/observer.ts';
import type { ErrorCode, InferenceError } from '../errors.ts';

/** Messages about the service; messages of different codes may quote the request. */
const own: ReadonlySet<ErrorCode> = new Set(['worker_failed', 'overloaded', 'deadline_exceeded']);

/** The part of an error's message that may be logged. */
export function reasonOf({ code, message }: InferenceError): string | undefined {
  return own.has(code) ? message : undefined;
}

/**
 * Seconds per token after the first, OpenTelemetry's `gen_ai.server.time_per_output_token`; `undefined` for a failed run or fewer
 * than two tokens.
 */
export function timePerOutputToken({ durationMs, firstOutputMs, usage, error }: RunEnd): number | undefined {
  const { outputTokens = 0 } = usage;
  if (error !== undefined || firstOutputMs === undefined || outputTokens < 2) return undefined;
  return (durationMs - firstOutputMs) / 1000 / (outputTokens - 1);
}
