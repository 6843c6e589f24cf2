import { z } from 'zod';
import { isSchemaObject, type Schema } from '../core/grammar/schemas/json-types.ts';

/** An object with any members, passed on by reference: `z.record` would copy it, and its exact source text is tracked by identity. */
export const anyObject: z.ZodType<Schema> = z
  .unknown()
  .superRefine((value, context) => {
    if (!isSchemaObject(value)) context.addIssue({ code: 'invalid_type', expected: 'record', input: value });
  })
  .transform((value) => value as Schema)
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });
