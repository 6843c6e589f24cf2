import { getOrCreate } from '../core/get-or-create.ts';
import {
  resolveParameter,
  toWireName,
  type ParameterTable,
  type ParameterValues,
} from '../core/parameters/descriptor.ts';
import { fieldErrorOf } from '../errors.ts';

/** Spelling out the names of a table takes longer than all the checks of a request. */
const rowsOfTables = new WeakMap<ParameterTable, ReturnType<typeof toRows>>();

/** Fills in the defaults of a request's parameters and checks their bounds. */
export function resolveRequestParameters<T extends ParameterTable>(
  table: T,
  given: Partial<ParameterValues<T>>,
): ParameterValues<T> {
  const resolved: Record<string, unknown> = {};
  for (const { name, param, descriptor } of getOrCreate(rowsOfTables, table, () => toRows(table))) {
    try {
      resolved[name] = resolveParameter(param, given[name as keyof T], descriptor);
    } catch (error) {
      throw fieldErrorOf(param, error);
    }
  }
  return resolved as ParameterValues<T>;
}

function toRows(table: ParameterTable) {
  return Object.entries(table).map(([name, descriptor]) => ({ name, param: toWireName(name), descriptor }));
}

/** Reads the parameters of a table from a request body, as `fieldReader`. */
export function parameterReader<T extends ParameterTable>(
  table: T,
): (body: Readonly<Record<string, unknown>>) => Partial<ParameterValues<T>> {
  return fieldReader<ParameterValues<T>>(Object.keys(table));
}

/** Reads fields from a request body, under their TypeScript names. `null` counts as missing. */
export function fieldReader<Request>(
  fields: readonly (keyof Request & string)[],
): (body: Readonly<Record<string, unknown>>) => Partial<Request> {
  const names = new Map<string, string>(fields.map((name) => [toWireName(name), name]));
  return (body) => {
    const values: Record<string, unknown> = {};
    for (const wireName of Object.keys(body)) {
      const name = names.get(wireName);
      const value = body[wireName];
      if (name !== undefined && value !== undefined && value !== null) values[name] = value;
    }
    return values as Partial<Request>;
  };
}
