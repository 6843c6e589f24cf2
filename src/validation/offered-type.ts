import { z } from 'zod';
import { describeValue, quote } from '../core/text/quote.ts';
import { unsupportedIssue } from './issues.ts';

/** The error for an unsupported `type` lists the supported types. */
export function ofOfferedType<T>(noun: string, types: readonly string[], schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((value, context) => {
    const type = (value as { type?: unknown } | null)?.type;
    if (typeof type === 'string' && !types.includes(type)) {
      const expected = types.map(quote).join(' or ');
      const message = `expected ${noun} of type ${expected}, got ${describeValue(type)}`;
      context.addIssue(unsupportedIssue(message));
    }
    return value;
  }, schema);
}
