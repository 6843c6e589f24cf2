import { describeValue } from '../text/quote.ts';

/**
 * A request parameter. Validation, discovery, the OpenAPI document, the samplers' checks and the documentation are all
 * derived from tables of these; bounds and defaults are defined nowhere else.
 */
export interface ParameterDescriptor {
  readonly type: 'float' | 'int' | 'boolean' | 'string' | 'strings';
  /** Inclusive. */
  readonly min?: number;
  /** Inclusive; for `strings`, the maximum count. */
  readonly max?: number;
  /** Omitted without a default: the value is then random, unlimited or absent, as the description specifies. */
  readonly default?: number | boolean | string | readonly string[];
  readonly step?: number;
  readonly section: 'basic' | 'advanced';
  readonly description: string;
}

export type ParameterTable = Readonly<Record<string, ParameterDescriptor>>;

type ValueOf<D extends ParameterDescriptor> = D['type'] extends 'boolean'
  ? boolean
  : D['type'] extends 'string'
    ? string
    : D['type'] extends 'strings'
      ? readonly string[]
      : number;

/** The values of a table: always present with a default, possibly `undefined` without one. */
export type ParameterValues<T extends ParameterTable> = {
  -readonly [K in keyof T]: T[K] extends { readonly default: NonNullable<ParameterDescriptor['default']> }
    ? ValueOf<T[K]>
    : ValueOf<T[K]> | undefined;
};

/** `topK` → `top_k`: tables use TypeScript's spelling, the wire format uses underscores. */
export function toWireName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The value of one parameter: the given value if its type and range are valid, the default if no value is given. */
export function resolveParameter(label: string, value: unknown, descriptor: ParameterDescriptor): unknown {
  if (value === undefined || value === null) return descriptor.default;
  const { type, min, max } = descriptor;
  if (type === 'boolean' || type === 'string') {
    if (typeof value !== type)
      throw new TypeError(`${label}: expected a ${type}, got ${describeValue(value)}`);
    return value;
  }
  if (type === 'strings') {
    if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
      throw new TypeError(`${label}: expected a list of strings, got ${describeValue(value)}`);
    if (max !== undefined && value.length > max)
      throw new RangeError(`${label}: expected at most ${max} strings, got ${value.length}`);
    return value;
  }
  if (typeof value !== 'number' || Number.isNaN(value) || (type === 'int' && !Number.isInteger(value))) {
    const expected = type === 'int' ? 'an integer' : 'a number';
    throw new TypeError(`${label}: expected ${expected}, got ${describeValue(value)}`);
  }
  if ((min !== undefined && value < min) || (max !== undefined && value > max))
    throw new RangeError(`${label}: expected a value from ${min} to ${max}, got ${value}`);
  return value;
}

/** Fills in the defaults of a table. */
export function resolveParameters<T extends ParameterTable>(
  table: T,
  given: Partial<ParameterValues<T>>,
): ParameterValues<T> {
  const resolved: Record<string, unknown> = {};
  for (const [name, descriptor] of Object.entries(table))
    resolved[name] = resolveParameter(name, given[name as keyof T], descriptor);
  return resolved as ParameterValues<T>;
}
