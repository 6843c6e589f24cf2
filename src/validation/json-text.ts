import { z } from 'zod';
import { countJson, maxArgumentValues } from '../core/text/bounded-json.ts';

/** Text that may be JSON: what parses it takes time for each value, and may call itself for each level. */
export const jsonText = z.string().superRefine((text, context) => {
  const { fault } = countJson(text, { values: maxArgumentValues });
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});
