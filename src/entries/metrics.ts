export { createMetrics, type Metrics, type MetricsOptions } from '../observability/metrics.ts';
export type { Observer } from '../server/observer.ts';
