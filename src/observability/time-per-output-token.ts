import type { RunEnd } from '../contracts/observer.ts';

/**
 * Seconds for each token after the first, as the GenAI conventions of OpenTelemetry define
 * `gen_ai.server.time_per_output_token`; `undefined` for a run that failed or made fewer than two.
 */
export function timePerOutputToken({ durationMs, firstOutputMs, usage, error }: RunEnd): number | undefined {
  const { outputTokens = 0 } = usage;
  if (error !== undefined || firstOutputMs === undefined || outputTokens < 2) return undefined;
  return (durationMs - firstOutputMs) / 1000 / (outputTokens - 1);
}
