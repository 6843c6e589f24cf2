import type { Handler } from '../../index.ts';

/** A handler and the path that it answers at and below. */
export interface Place {
  /** `/` answers what no other place does. */
  readonly path: string;
  readonly handler: Handler;
}

/** Makes one handler of several, by the longest path that fits. */
export function mount(places: readonly Place[], otherwise: Handler): Handler {
  const byLength = [...places].sort((a, b) => b.path.length - a.path.length);
  return (request) => {
    const path = request.url.split('?', 1)[0]!;
    const place = byLength.find(
      (one) => one.path === '/' || path === one.path || path.startsWith(`${one.path}/`),
    );
    return (place?.handler ?? otherwise)(request);
  };
}
