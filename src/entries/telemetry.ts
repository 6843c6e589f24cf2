export { createTelemetry, type TelemetryOptions } from '../observability/telemetry.ts';
export type { InferenceObserver } from '../contracts/observer.ts';
