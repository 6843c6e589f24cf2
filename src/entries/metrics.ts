export { createMetrics, type Metrics } from '../create-metrics.ts';
export type { CountingObserver, MetricsOptions } from '../observability/metrics.ts';
export type { Observer } from '../contracts/observer.ts';
