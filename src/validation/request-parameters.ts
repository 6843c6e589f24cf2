import {
  resolveParameter,
  toWireName,
  type ParameterDescriptor,
  type ParameterTable,
  type ParameterValues,
} from '../core/parameters/descriptor.ts';
import { fieldErrorOf } from '../errors.ts';

interface Row {
  readonly name: string;
  readonly param: string;
  readonly descriptor: ParameterDescriptor;
}

/** Spelling out the names of a table takes longer than all the checks of a request. */
const rowsOfTables = new WeakMap<ParameterTable, readonly Row[]>();

/** Fills in the defaults of a request's parameters and checks their bounds. */
export function resolveRequestParameters<T extends ParameterTable>(
  table: T,
  given: Partial<ParameterValues<T>>,
): ParameterValues<T> {
  const resolved: Record<string, unknown> = {};
  for (const { name, param, descriptor } of rowsOf(table)) {
    try {
      resolved[name] = resolveParameter(param, given[name as keyof T], descriptor);
    } catch (error) {
      throw fieldErrorOf(param, error);
    }
  }
  return resolved as ParameterValues<T>;
}

function rowsOf(table: ParameterTable): readonly Row[] {
  let rows = rowsOfTables.get(table);
  if (!rows) {
    rows = Object.entries(table).map(([name, descriptor]) => ({ name, param: toWireName(name), descriptor }));
    rowsOfTables.set(table, rows);
  }
  return rows;
}
