import { quantile } from '../../core/math/numeric.ts';

export interface Measurement {
  readonly name: string;
  readonly unit: string;
  /** Half of the requests were at least this good. */
  readonly p50?: number | undefined;
  /** 9 of 10 requests were at least this good. */
  readonly p90?: number | undefined;
  /** 19 of 20 requests were at least this good. */
  readonly p95?: number | undefined;
  /** 99 of 100 requests were at least this good. */
  readonly p99?: number | undefined;
  /** Over the whole time and all requests. */
  readonly overall?: number | undefined;
  /** The value of each request, in order. */
  readonly samples?: readonly number[] | undefined;
}

/** Times: less is better. */
export function times(name: string, samples: readonly number[], unit = 'ms'): Measurement {
  const at = (share: number): number | undefined => quantile(samples, share);
  return { name, unit, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), samples };
}

/** Speeds: more is better. */
export function speeds(name: string, unit: string, samples: readonly number[]): Measurement {
  const at = (share: number): number | undefined => quantile(samples, share);
  return { name, unit, p50: at(0.5), p90: at(0.1), p95: at(0.05), p99: at(0.01), samples };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
