import type { RunEnd } from '../contracts/observer.ts';

/**
 * Seconds per token after the first, OpenTelemetry's `gen_ai.server.time_per_output_token`; `undefined` for a failed run or fewer
 * than two tokens.
 */
export function timePerOutputToken({ durationMs, firstOutputMs, usage, error }: RunEnd): number | undefined {
  const { outputTokens = 0 } = usage;
  if (error !== undefined || firstOutputMs === undefined || outputTokens < 2) return undefined;
  return (durationMs - firstOutputMs) / 1000 / (outputTokens - 1);
}
