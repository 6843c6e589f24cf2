import type { z } from 'zod';
import { settingsFault } from '../validation/settings-fault.ts';

/** The command line, or the config file that it names, is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Checks a value that a user has written. */
export function check<T>(label: string, schema: z.ZodType<T>, value: unknown): T {
  const fault = settingsFault(schema, value);
  if (fault === undefined) return schema.parse(value);
  throw new UsageError([label, fault.place, fault.reason].filter(Boolean).join(': '));
}
