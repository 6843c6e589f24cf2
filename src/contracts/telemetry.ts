import type { CompleteRequest, RunEvent, RunUsage } from './run.ts';

/** Attributes of a span, as OpenTelemetry takes them; one that is `undefined` is not recorded. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | (string | null | undefined)[] | undefined>
>;

/** Form of a category's runs in traces, by the GenAI semantic conventions of OpenTelemetry. */
export interface CategoryTelemetry<Request = unknown, Event = RunEvent> {
  /** `gen_ai.operation.name` */
  readonly operation: string;
  /** The request without what people wrote. */
  attributes?(request: Request): SpanAttributes;
  /** Texts that people wrote. */
  content?(request: Request): SpanAttributes;
  /** A sentence for the operator about a default that cut this run short. Logs write it once for each model. */
  advice?(
    request: Request & CompleteRequest,
    end: { readonly usage: RunUsage; readonly finishReasons: readonly string[] },
  ): string | undefined;
  /** Collects what the model wrote, for traces that may hold it. */
  createRecorder?(): OutputRecorder<Event>;
}

/** Collects the answer of one run. */
export interface OutputRecorder<Event> {
  push(event: Event): void;
  attributes(): SpanAttributes;
}
