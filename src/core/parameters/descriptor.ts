import { describeValue } from '../text/quote.ts';

/**
 * One tunable request parameter. Validation, discovery, the OpenAPI document, the samplers' own checks and the
 * documentation are all derived from tables of these; no bound or default is written anywhere else.
 */
export interface ParameterDescriptor {
  readonly type: 'float' | 'int' | 'boolean' | 'string' | 'strings';
  /** Inclusive. */
  readonly min?: number;
  /** Inclusive; of `strings`, how many there may be. */
  readonly max?: number;
  /** Left out where there is none: the value is then random, unlimited or absent, as the description says. */
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

/** The values that a table describes: with a default always present, without one possibly `undefined`. */
export type ParameterValues<T extends ParameterTable> = {
  -readonly [K in keyof T]: T[K] extends { readonly default: NonNullable<ParameterDescriptor['default']> }
    ? ValueOf<T[K]>
    : ValueOf<T[K]> | undefined;
};

/** `topK` → `top_k`: tables are keyed as TypeScript spells it, the wire spells it with underscores. */
export function toWireName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The value of one parameter: the given one if it is of the right type and in range, the default if none is given. */
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

/** Fills in the defaults of a whole table. */
export function resolveParameters<T extends ParameterTable>(
  table: T,
  given: Partial<ParameterValues<T>>,
): ParameterValues<T> {
  const resolved: Record<string, unknown> = {};
  for (const [name, descriptor] of Object.entries(table))
    resolved[name] = resolveParameter(name, given[name as keyof T], descriptor);
  return resolved as ParameterValues<T>;
}
