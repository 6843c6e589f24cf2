import type { Observer } from '../../index.ts';
import type { Metrics } from '../../create-metrics.ts';
import { UsageError } from '../usage-error.ts';
import type { Place } from './mount.ts';

/** Services beside the API. */
export interface SideServices {
  readonly places: readonly (Place & { readonly name: string })[];
  /** Settings of the side services. */
  readonly observers: readonly Observer[];
}

/** Makes what is wanted beside the API; what isn't, isn't loaded. */
export async function createSideServices(wanted: {
  readonly playground: boolean;
  readonly metrics: boolean;
}): Promise<SideServices> {
  const places: SideServices['places'][number][] = [];
  const observers: Observer[] = [];
  if (wanted.playground) {
    const { createPlayground } = await import('../../playground/create-playground.ts');
    places.push({ name: 'playground', path: '/', handler: createPlayground() });
  }
  if (wanted.metrics) {
    const { handler, observer } = await openMetrics();
    places.push({ name: 'metrics', path: '/metrics', handler });
    observers.push(observer);
  }
  return { places, observers };
}

async function openMetrics(): Promise<Metrics> {
  const { createMetrics } = await import('../../create-metrics.ts');
  try {
    return createMetrics();
  } catch (error) {
    throw new UsageError(`--metrics: ${(error as Error).message}`, { cause: error });
  }
}
