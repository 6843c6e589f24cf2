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
