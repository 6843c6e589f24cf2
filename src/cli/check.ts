import type { z } from 'zod';
import { settingsFault } from '../validation/settings-fault.ts';
import { UsageError } from './usage-error.ts';

/** Checks a value that a user has written. */
export function check<T>(label: string, schema: z.ZodType<T>, value: unknown): T {
  const fault = settingsFault(schema, value);
  if (fault === undefined) return schema.parse(value);
  throw new UsageError([label, fault.place, fault.reason].filter(Boolean).join(': '));
}
