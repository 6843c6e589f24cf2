/** A measured quantity. */
export interface Measurement {
  readonly name: string;
  readonly unit: string;
  /** Half of the requests did at least as well. */
  readonly p50?: number | undefined;
  /** 9 of 10 requests did at least as well. */
  readonly p90?: number | undefined;
  /** 19 of 20 requests did at least as well. */
  readonly p95?: number | undefined;
  /** 99 of 100 requests did at least as well. */
  readonly p99?: number | undefined;
  /** Over the whole time, all requests together. */
  readonly overall?: number | undefined;
  /** The value of each request, in their order. */
  readonly samples?: readonly number[] | undefined;
}

/** Times: less is better. */
export function times(name: string, milliseconds: readonly number[]): Measurement {
  return { name, unit: 'ms', ...quantiles(milliseconds, [0.5, 0.9, 0.95, 0.99]), samples: milliseconds };
}

/** How long whole requests took. */
export function totals(name: string, samples: readonly { readonly totalMs: number }[]): Measurement {
  const milliseconds = samples.map(({ totalMs }) => totalMs);
  return times(name, milliseconds);
}

/** How many there were a second, all requests together. */
export function rate(name: string, unit: string, count: number, elapsedMs: number): Measurement {
  return { name, unit, overall: count / (elapsedMs / 1000) };
}

/** Speeds: more is better. */
export function speeds(name: string, unit: string, values: readonly number[], overall?: number): Measurement {
  return { name, unit, ...quantiles(values, [0.5, 0.1, 0.05, 0.01]), overall, samples: values };
}

function quantiles(
  values: readonly number[],
  shares: readonly [number, number, number, number],
): Pick<Measurement, 'p50' | 'p90' | 'p95' | 'p99'> {
  const [p50, p90, p95, p99] = shares.map((share) => quantile(values, share));
  return { p50, p90, p95, p99 };
}

/** The value below which a share of the values lies, between two of them in proportion. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return below === undefined || above === undefined ? undefined : below + (above - below) * (place % 1);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
