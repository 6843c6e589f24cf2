import type { Handler } from './contracts/http.ts';
import {
  createCountingObserver,
  type CountingObserver,
  type MetricsOptions,
} from './observability/metrics.ts';
import { createGetHandler } from './server/get-handler.ts';

/** Metrics for Prometheus. */
export interface Metrics extends CountingObserver {
  /** Answers with everything in the registry, as text; it needs no key. */
  readonly handler: Handler;
}

/**
 * Counts what happens, for Prometheus; needs the package `prom-client`. Labels have few values: routes are templates,
 * models that don't exist are `unknown`.
 *
 * @throws Error where `prom-client` is not installed, or the registry has metrics of these names
 * @throws TypeError for a prefix that no name may begin with
 *
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
