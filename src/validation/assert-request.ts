import type { ParameterTable } from '../core/parameters/descriptor.ts';
import { z } from 'zod';
import { assertOptions } from './assert-options.ts';
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

declare const brand: unique symbol;
const mark = Symbol('checked');

/** A request whose form a schema of the wire has checked. */
export type Checked<Request> = Request & { readonly [brand]: true };

export function markChecked<Request extends object>(request: Request): Checked<Request> {
  return Object.defineProperty(request, mark, { value: true }) as Checked<Request>;
}

/** Whether a request's form has been checked. */
export function isChecked<Request>(request: Request): request is Checked<Request> {
  return typeof request === 'object' && request !== null && Object.hasOwn(request, mark);
}
