import type { ParameterTable } from '../core/parameters/descriptor.ts';
import { z } from 'zod';
import { assertOptions } from './assert-options.ts';
import { isChecked } from './checked.ts';
import type { SettingTable } from './setting-table.ts';

/** The fields of a request as in-process callers write it; the ranges of parameters are checked with their defaults. */
export function requestTable(fields: SettingTable, parameters: ParameterTable): SettingTable {
  const anything = Object.fromEntries(Object.keys(parameters).map((name) => [name, z.unknown()]));
  return { model: modelId, ...anything, ...fields };
}

const modelId = z.string().min(1, { error: 'expected the id of a model, got ""' });

/**
 * Checks the form of an in-process request, unless a body of HTTP was read into it.
 * @param owner such as `A chat request`
 */
export function assertRequest(owner: string, table: SettingTable, request: unknown): void {
  if (!isChecked(request)) assertOptions(owner, table, request);
}
