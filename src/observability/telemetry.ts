import type * as Api from '@opentelemetry/api';
import { assertNames } from '../core/assert-names.ts';
import type { RunEvent } from '../contracts/run.ts';
import type { OutputRecorder } from '../contracts/telemetry.ts';
import type { Attributes, Meter } from '@opentelemetry/api';
import type { InferenceObserver, ObservedRun, RunEnd } from '../contracts/observer.ts';
import { requireOptional } from './optional-package.ts';
import { timePerOutputToken, reasonOf } from './run-facts.ts';

/** `chat tiny-chat`; only the operation for unknown models, since clients can invent any number of names. */
function spanName(run: ObservedRun): string {
  const { operation } = run.telemetry;
  return run.isKnownModel ? `${operation} ${run.model}` : operation;
}

/** Attributes for sampling, also on every measurement. */
function commonAttributes(run: ObservedRun): Attributes {
  return {
    'gen_ai.operation.name': run.telemetry.operation,
    'gen_ai.provider.name': 'slashv1',
    ...(run.isKnownModel ? { 'gen_ai.request.model': run.model } : {}),
  };
}

/** The request without user content. `undefined` attributes are not recorded. */
function requestAttributes(run: ObservedRun): Attributes {
  return {
    'gen_ai.request.model': run.model,
    'slashv1.request.id': run.origin?.requestId,
    ...run.telemetry.attributes?.(run.request),
  };
}

function responseAttributes(run: ObservedRun, end: RunEnd): Attributes {
  const { usage, error } = end;
  return {
    'gen_ai.response.id': run.responseId,
    'gen_ai.response.model': run.isKnownModel ? run.model : undefined,
    'gen_ai.response.finish_reasons': end.finishReasons.length === 0 ? undefined : [...end.finishReasons],
    'gen_ai.response.time_to_first_chunk': toSeconds(end.firstOutputMs),
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    'slashv1.queue.wait': toSeconds(end.waitMs),
    'error.type': error?.code,
  };
}

function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /**
   * Also record prompts and answers, as `gen_ai.input.messages`, `gen_ai.output.messages` and `gen_ai.tool.definitions`, without
   * files. Default false.
   */
  readonly captureContent?: boolean | undefined;
}

const instrumentation = 'slashv1';

/**
 * Creates a span and measurements for every request to a model, by OpenTelemetry's GenAI semantic conventions; requires
 * the package `@opentelemetry/api`, and has no effect until an SDK is registered there. A span's parent is the active span,
 * or else the request's `traceparent`.
 *
 * @throws Error if `@opentelemetry/api` is not installed
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @example
 * ```ts
 * createHandler(inference, { auth, observers: [createTelemetry()] });
 * ```
 */
export function createTelemetry(options: TelemetryOptions = {}): InferenceObserver {
  assertNames('createTelemetry', options, ['captureContent']);
  const { captureContent = false } = options;
  const api = requireOptional('@opentelemetry/api', 'createTelemetry') as typeof Api;
  const tracer = api.trace.getTracer(instrumentation);
  const currentRecorder = createRecorderSource(api);
  const spans = new WeakMap<ObservedRun, Api.Span>();
  const outputs = new WeakMap<ObservedRun, OutputRecorder<RunEvent>>();
  const observer: InferenceObserver = {
    onRunStart(run) {
      const settings = { kind: api.SpanKind.INTERNAL, attributes: commonAttributes(run) };
      const span = tracer.startSpan(spanName(run), settings, parentOf(run, api));
      if (!span.isRecording()) return;
      spans.set(run, span);
      span.setAttributes(requestAttributes(run));
      if (!captureContent) return;
      span.setAttributes(run.telemetry.content?.(run.request) ?? {});
      const recorder = run.telemetry.createRecorder?.();
      if (recorder) outputs.set(run, recorder);
    },
    onRunPropagate(run, headers) {
      const span = spans.get(run);
      if (span) api.propagation.inject(api.trace.setSpan(api.context.active(), span), headers);
    },
    onRunEnd(run, end) {
      currentRecorder()(run, end);
      const span = spans.get(run);
      if (span === undefined) return;
      span.setAttributes(responseAttributes(run, end));
      span.setAttributes(outputs.get(run)?.attributes() ?? {});
      if (end.error !== undefined && end.error.code !== 'cancelled') {
        const message = reasonOf(end.error);
        span.setStatus({ code: api.SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
      }
      span.end();
    },
  };
  if (!captureContent) return observer;
  return {
    ...observer,
    onRunEvents(run, events) {
      const recorder = outputs.get(run);
      if (recorder) for (const event of events) recorder.push(event);
    },
  };
}

function parentOf({ origin }: ObservedRun, { context, propagation, trace }: typeof Api): Api.Context {
  const active = context.active();
  if (origin?.carrier === undefined || trace.getSpan(active) !== undefined) return active;
  return propagation.extract(active, origin.carrier);
}

/** A meter created before the SDK is registered would never record. */
function createRecorderSource({ createNoopMeter, metrics }: typeof Api): () => RecordRun {
  let provider: Api.MeterProvider | undefined;
  let recordRun: RecordRun;
  return () => {
    const current = metrics.getMeterProvider();
    if (current !== provider) {
      provider = current;
      const meter = current.getMeter(instrumentation);
      recordRun = meter === createNoopMeter() ? () => undefined : createRecordRun(meter);
    }
    return recordRun;
  };
}

/** Bounds specified by the conventions. */
const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const outputTokenBuckets = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const usageBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

export type RecordRun = (run: ObservedRun, end: RunEnd) => void;

/**
 * The instruments of the GenAI conventions for servers. They have no server metric for tokens, so usage is recorded as
 * `gen_ai.client.token.usage`.
 */
function createRecordRun(meter: Meter): RecordRun {
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
