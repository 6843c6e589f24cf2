import {
  resolveParameter,
  toWireName,
  type ParameterTable,
  type ParameterValues,
} from '../core/parameters/descriptor.ts';
import { oncePer } from '../core/once-per.ts';
import { fieldErrorOf } from '../errors.ts';

/** Spelling out the names of a table takes longer than all the checks of a request. */
const rowsOf = oncePer((table: ParameterTable) =>
  Object.entries(table).map(([name, descriptor]) => ({ name, param: toWireName(name), descriptor })),
);

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
