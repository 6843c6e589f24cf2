import type { Handler } from './contracts/http.ts';
import {
  createCountingObserver,
  type CountingObserver,
  type MetricsOptions,
} from './observability/metrics.ts';
import { createGetHandler } from './server/get-handler.ts';

/** Metrics for Prometheus. */
export interface Metrics extends CountingObserver {
  /** Serves the whole registry as text, without a key. */
  readonly handler: Handler;
}

/**
 * Collects metrics for Prometheus; requires the package `prom-client`. Labels have few values: routes are templates,
 * unknown models are `unknown`.
 *
 * @throws Error if `prom-client` is not installed, or the registry has metrics of these names
 * @throws TypeError for an invalid prefix
 * @example
 * ```ts
 * const metrics = createMetrics();
 * app.use('/v1', toExpress(createHandler(inference, { auth, observers: [metrics.observer] })));
 * app.use('/metrics', toExpress(metrics.handler));
 * ```
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { observer, register } = createCountingObserver(options);
  const handler = createGetHandler('/metrics', async () => {
    const body = await register.metrics();
    const headers = {
      'content-type': register.contentType,
      'content-length': String(Buffer.byteLength(body)),
    };
    return { status: 200, headers, body };
  });
  return { observer, handler, register };
}
