import type { CompleteRequest, RunEvent, RunUsage } from './run.ts';

/** OpenTelemetry span attributes; `undefined` attributes are not recorded. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | (string | null | undefined)[] | undefined>
>;

/** Mapping of a category's runs to traces, by OpenTelemetry's GenAI semantic conventions. */
export interface CategoryTelemetry<Request = unknown, Event = RunEvent> {
  /** `gen_ai.operation.name` */
  readonly operation: string;
  /** The request without user content. */
  attributes?(request: Request): SpanAttributes;
  /** User content. */
  content?(request: Request): SpanAttributes;
  /** A sentence for the operator about a default that cut this run short. Logged once per model. */
  advice?(
    request: Request & CompleteRequest,
    end: { readonly usage: RunUsage; readonly finishReasons: readonly string[] },
  ): string | undefined;
  /** Collects the model's output, for traces with content. */
  createRecorder?(): OutputRecorder<Event>;
}

/** Collects the answer of one run. */
export interface OutputRecorder<Event> {
  push(event: Event): void;
  attributes(): SpanAttributes;
}
