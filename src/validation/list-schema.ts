import { z } from 'zod';
import { checkItem } from './in-pieces.ts';
import { firstIssue } from './issues.ts';
import { toJsonSchema } from './json-schema.ts';

/** Least and greatest number of items, inclusive. */
export interface ListBounds {
  readonly min?: number;
  readonly max?: number;
}

/**
 * An array of items, checked up to the first bad one. `z.array` would check them all and describe every fault, which
 * on a body with millions of bad items holds the event loop for seconds.
 */
export function listOf<T>(item: z.ZodType<T>, { min = 0, max = Infinity }: ListBounds = {}): z.ZodType<T[]> {
  return z
    .unknown()
    .transform((value, context): T[] => {
      const fault = outerFault(value, min, max);
      if (fault !== undefined) {
        context.addIssue({ ...fault, input: value } as Parameters<typeof context.addIssue>[0]);
        return z.NEVER;
      }
      const items: T[] = [];
      for (const [index, entry] of (value as unknown[]).entries()) {
        const result = checkItem(item, entry, () => item.safeParse(entry));
        if (!result.success) {
          const issue = firstIssue(item, entry);
          const within = { ...issue, path: [index, ...issue.path], input: entry };
          context.addIssue(within as Parameters<typeof context.addIssue>[0]);
          return z.NEVER;
        }
        items.push(result.data);
      }
      return items;
    })
    .meta({
      type: 'array',
      items: toJsonSchema(item),
      ...(min > 0 ? { minItems: min } : {}),
      ...(max < Infinity ? { maxItems: max } : {}),
    });
}

function outerFault(value: unknown, min: number, max: number): object | undefined {
  if (!Array.isArray(value)) return { code: 'invalid_type', expected: 'array' };
  if (value.length < min) return { code: 'too_small', origin: 'array', minimum: min };
  return value.length > max ? { code: 'too_big', origin: 'array', maximum: max } : undefined;
}
