import { z } from 'zod';
import { toWireName, type ParameterDescriptor, type ParameterTable } from '../core/parameters/descriptor.ts';
import { numberSchema } from './number-schema.ts';
import { expecting } from './expecting.ts';

/** `topK` → `top_k`, for types. */
export type WireName<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${WireName<Tail>}`
  : '';

type ValueSchema<D extends ParameterDescriptor> = D['type'] extends 'boolean'
  ? z.ZodBoolean
  : D['type'] extends 'string'
    ? z.ZodString
    : D['type'] extends 'strings'
      ? z.ZodArray<z.ZodString>
      : z.ZodNumber;

/** The schemas of a parameter table by wire name; `null` counts as absent. */
export type ParameterShape<T extends ParameterTable> = {
  [Name in keyof T & string as WireName<Name>]: z.ZodOptional<z.ZodNullable<ValueSchema<T[Name]>>>;
};

export function parameterShape<T extends ParameterTable>(table: T): ParameterShape<T> {
  const shape = Object.entries(table).map(([name, one]) => [toWireName(name), parameterSchema(one)]);
  return Object.fromEntries(shape) as ParameterShape<T>;
}

export function parameterSchema<D extends ParameterDescriptor>(
  descriptor: D,
): z.ZodOptional<z.ZodNullable<ValueSchema<D>>> {
  const { description, default: byDefault } = descriptor;
  const documentation = { description, ...(byDefault === undefined ? {} : { default: byDefault }) };
  const schema = valueSchema(descriptor) as ValueSchema<D>;
  return schema.nullable().optional().meta(documentation) as z.ZodOptional<z.ZodNullable<ValueSchema<D>>>;
}

function valueSchema(descriptor: ParameterDescriptor): z.ZodType {
  const { type, min, max } = descriptor;
  if (type === 'boolean') return z.boolean(expecting('a boolean'));
  if (type === 'string') return z.string(expecting('a string'));
  if (type === 'strings') return stringsSchema(max);
  return numberSchema({ type, min, max });
}

function stringsSchema(max = Infinity): z.ZodType {
  const schema = z.array(z.string(expecting('a string')), expecting('a list of strings'));
  const tooMany = ({ input }: { input?: unknown }): string =>
    `expected at most ${max} strings, got ${(input as unknown[]).length}`;
  return max === Infinity ? schema : schema.max(max, { error: tooMany });
}

/** An optional boolean field of a body; `null` counts as absent. */
export function flagField(description: string, preset?: boolean): z.ZodOptional<z.ZodNullable<z.ZodBoolean>> {
  const documentation = preset === undefined ? { description } : { description, default: preset };
  return z.boolean().nullish().meta(documentation);
}

/** Like `flagField`, for a text. */
export function textField(description: string): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return z.string().nullish().meta({ description });
}
