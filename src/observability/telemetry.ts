import { assertNames } from '../core/assert-names.ts';
import type { RunEvent } from '../contracts/run.ts';
import type { OutputRecorder } from '../contracts/telemetry.ts';
import type * as Api from '@opentelemetry/api';
import type { InferenceObserver, ObservedRun } from '../contracts/observer.ts';
import { reasonOf } from './error-reason.ts';
import { commonAttributes, requestAttributes, responseAttributes, spanName } from './gen-ai-attributes.ts';
import { createRecordRun, type RecordRun } from './gen-ai-instruments.ts';
import { requireOptional } from './optional-package.ts';

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /**
   * Also records what people wrote and what models answered, as `gen_ai.input.messages`, `gen_ai.output.messages` and
   * `gen_ai.tool.definitions`; not what is in files. Default false.
   */
  readonly captureContent?: boolean | undefined;
}

const instrumentation = 'slashv1';

/**
 * Makes a span and measurements of every request to a model, by the GenAI semantic conventions of OpenTelemetry; needs
 * the package `@opentelemetry/api`, and does nothing as long as no SDK is registered there. A span's parent is the one
 * that is active, or else the one that the request's `traceparent` names.
 *
 * @throws Error where `@opentelemetry/api` is not installed
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 *
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

/** A meter of a time before the SDK was registered would record nothing for ever. */
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
