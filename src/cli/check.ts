import type { z } from 'zod';
import { settingsFault } from '../validation/settings-fault.ts';
import { UsageError } from './usage-error.ts';

/**
 * Checks a value that a user has written.
 *
 * @param label where it stands, for messages: path of the file, or an option
 * @param known names that may stand in each object, for suggestions
 * @throws UsageError naming the place and the value
 */
export function check<T>(
  label: string,
  schema: z.ZodType<T>,
  value: unknown,
  known: readonly string[] = [],
): T {
  const fault = settingsFault(schema, value, known);
  if (fault === undefined) return schema.parse(value);
  throw new UsageError(`${label}: ${fault}`);
}
