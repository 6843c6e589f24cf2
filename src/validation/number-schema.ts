import { z } from 'zod';
import { describeValue } from '../core/text/quote.ts';

/** Inclusive bounds. */
export interface NumberBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The schema of a number, with messages in the words of this package. */
export function numberSchema(range: NumberBounds & { readonly type: 'int' | 'float' }): z.ZodNumber {
  const { type, min, max } = range;
  const expected = describeRange(type, range);
  const error = ({ input }: { input?: unknown }): string =>
    `expected ${expected}, got ${describeValue(input)}`;
  let schema: z.ZodNumber = type === 'int' ? z.int({ error }) : z.number({ error });
  if (min !== undefined) schema = schema.min(min, { error });
  return max === undefined ? schema : schema.max(max, { error });
}

function describeRange(type: 'int' | 'float', { min, max }: NumberBounds): string {
  const kind = type === 'int' ? 'an integer' : 'a number';
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind} of at least ${min}`;
  return max === undefined ? kind : `${kind} of at most ${max}`;
}
