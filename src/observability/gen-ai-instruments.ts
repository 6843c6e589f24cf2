import type { Attributes, Meter } from '@opentelemetry/api';
import type { ObservedRun, RunEnd } from '../contracts/observer.ts';
import { commonAttributes } from './gen-ai-attributes.ts';
import { timePerOutputToken } from './time-per-output-token.ts';

/** Bounds that the conventions ask for. */
const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const outputTokenBuckets = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const usageBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Records how a run went. */
export type RecordRun = (run: ObservedRun, end: RunEnd) => void;

/**
 * Makes the instruments of the GenAI conventions for servers. Token usage has none of its own there, so it is recorded
 * as `gen_ai.client.token.usage`.
 */
export function createRecordRun(meter: Meter): RecordRun {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const duration = histogram(
    'gen_ai.server.request.duration',
    's',
    'Generative AI server request duration such as time-to-last byte or last output token.',
    durationBuckets,
  );
  const firstToken = histogram(
    'gen_ai.server.time_to_first_token',
    's',
    'Time to generate first token for successful responses.',
    firstTokenBuckets,
  );
  const outputToken = histogram(
    'gen_ai.server.time_per_output_token',
    's',
    'Time per output token generated after the first token for successful responses.',
    outputTokenBuckets,
  );
  const tokens = histogram(
    'gen_ai.client.token.usage',
    '{token}',
    'Number of input and output tokens used.',
    usageBuckets,
  );
  return (run, end) => {
    const { error, usage } = end;
    const attributes: Attributes = {
      ...commonAttributes(run),
      ...(run.isKnownModel ? { 'gen_ai.response.model': run.model } : {}),
    };
    const all = error === undefined ? attributes : { ...attributes, 'error.type': error.code };
    duration.record(end.durationMs / 1000, all);
    for (const [type, count] of [
      ['input', usage.inputTokens],
      ['output', usage.outputTokens],
    ] as const) {
      if (count !== undefined) tokens.record(count, { ...attributes, 'gen_ai.token.type': type });
    }
    if (run.category !== 'chat' || error !== undefined) return;
    if (end.firstOutputMs !== undefined) firstToken.record(end.firstOutputMs / 1000, attributes);
    const secondsPerToken = timePerOutputToken(end);
    if (secondsPerToken !== undefined) outputToken.record(secondsPerToken, attributes);
  };
}
