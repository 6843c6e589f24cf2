import { z } from 'zod';
import { expecting } from './expecting.ts';

export interface NumberBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export function numberSchema(range: NumberBounds & { readonly type: 'int' | 'float' }): z.ZodNumber {
  const { type, min, max } = range;
  const fault = expecting(describeRange(type, range));
  let schema: z.ZodNumber = type === 'int' ? z.int(fault) : z.number(fault);
  if (min !== undefined) schema = schema.min(min, fault);
  return max === undefined ? schema : schema.max(max, fault);
}

export function wholeNumber(max = Number.MAX_SAFE_INTEGER): z.ZodNumber {
  return numberSchema({ type: 'int', min: 1, max });
}

function describeRange(type: 'int' | 'float', { min, max }: NumberBounds): string {
  const kind = type === 'int' ? 'an integer' : 'a number';
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind} of at least ${min}`;
  return max === undefined ? kind : `${kind} of at most ${max}`;
}
