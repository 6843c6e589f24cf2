import { z } from 'zod';
import { isSchemaObject, type Schema } from '../core/grammar/schemas/json-types.ts';

/** An object of any members, handed on as the same object: `z.record` makes a copy, of which nobody knows the text. */
export const anyObject: z.ZodType<Schema> = z
  .unknown()
  .superRefine((value, context) => {
    if (!isSchemaObject(value)) context.addIssue({ code: 'invalid_type', expected: 'record', input: value });
  })
  .transform((value) => value as Schema)
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });
