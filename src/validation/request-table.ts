import { z } from 'zod';
import {
  resolveParameter,
  toWireName,
  type ParameterTable,
  type ParameterValues,
} from '../core/parameters/descriptor.ts';
import { fieldErrorOf } from '../errors.ts';
import { assertOptions } from './assert-options.ts';
import type { InputsOf, OutputsOf, SettingTable } from './setting-table.ts';

const shared = { model: z.string().min(1, { error: 'expected the id of a model, got ""' }) };

/** A table's request as a caller writes it. */
export type InputOf<Fields extends SettingTable, Parameters extends ParameterTable> = InputsOf<
  typeof shared & Fields
> &
  Partial<ParameterValues<Parameters>>;

/** The same with its defaults. */
export type RequestOf<Fields extends SettingTable, Parameters extends ParameterTable> = OutputsOf<
  typeof shared & Fields
> &
  ParameterValues<Parameters>;

declare const brand: unique symbol;
const mark = Symbol('checked');

/** A request that a wire schema has validated. */
export type Checked<Request> = Request & { readonly [brand]: true };

export function markChecked<Request extends object>(request: Request): Checked<Request> {
  return Object.defineProperty(request, mark, { value: true }) as Checked<Request>;
}

export function isChecked<Request>(request: Request): request is Checked<Request> {
  return typeof request === 'object' && request !== null && Object.hasOwn(request, mark);
}

/** Parameter ranges are checked together with their defaults. */
export class RequestTable<Fields extends SettingTable, Parameters extends ParameterTable> {
  readonly #owner: string;
  readonly #checks: SettingTable;
  readonly #fields;
  readonly #parameters;

  /** @param owner such as `A chat request` */
  constructor(owner: string, fields: Fields, parameters: Parameters) {
    this.#owner = owner;
    const anything = Object.fromEntries(Object.keys(parameters).map((name) => [name, z.unknown()]));
    this.#checks = { ...shared, ...anything, ...fields };
    this.#fields = Object.entries<z.ZodType>({ ...shared, ...fields }).map(([name, schema]) => ({
      name,
      byDefault: schema instanceof z.ZodDefault ? schema.def : undefined,
    }));
    const rules = Object.entries(parameters);
    this.#parameters = rules.map(([name, rule]) => ({ name, param: toWireName(name), rule }));
  }

  /** Checks the form of an in-process request; skipped for a validated HTTP body. */
  assertForm(request: unknown): void {
    if (!isChecked(request)) assertOptions(this.#owner, this.#checks, request);
  }

  complete(given: InputOf<Fields, Parameters>): RequestOf<Fields, Parameters> {
    const values: Readonly<Record<string, unknown>> = given;
    const whole: Record<string, unknown> = {};
    for (const { name, param, rule } of this.#parameters)
      try {
        whole[name] = resolveParameter(param, values[name], rule);
      } catch (error) {
        throw fieldErrorOf(param, error);
      }
    for (const { name, byDefault } of this.#fields)
      whole[name] = values[name] === undefined ? byDefault?.defaultValue : values[name];
    return whole as RequestOf<Fields, Parameters>;
  }
}

export function parameterReader<T extends ParameterTable>(
  table: T,
): (body: Readonly<Record<string, unknown>>) => Partial<ParameterValues<T>> {
  return fieldReader<ParameterValues<T>>(Object.keys(table));
}

/** `null` counts as absent. */
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
