import { z } from 'zod';
import { checkEach } from './in-pieces.ts';
import { firstIssue } from './issues.ts';
import { toJsonSchema } from './json-schema.ts';
import type { SchemaOf } from './setting-table.ts';

export interface ListBounds {
  readonly min?: number;
  readonly max?: number;
}

/**
 * Checked up to the first invalid item. `z.array` describes every fault, which blocks the event loop for seconds on a body with
 * millions of invalid items.
 */
export function listOf<T>(item: z.ZodType<T>, { min = 0, max = Infinity }: ListBounds = {}): SchemaOf<T[]> {
  const schema: z.ZodType<T[], unknown> = z
    .unknown()
    .transform((value, context): T[] => {
      const fault = outerFault(value, min, max);
      if (fault !== undefined) {
        context.addIssue({ ...fault, input: value } as Parameters<typeof context.addIssue>[0]);
        return z.NEVER;
      }
      const items = value as unknown[];
      const { data, faulty } = checkEach(items, (entry) => item.safeParse(entry));
      if (faulty === undefined) return data;
      const issue = firstIssue(item, items[faulty]);
      const within = { ...issue, path: [faulty, ...issue.path], input: items[faulty] };
      context.addIssue(within as Parameters<typeof context.addIssue>[0]);
      return z.NEVER;
    })
    .meta({
      type: 'array',
      // Lazy, only for documents: at import it took a third of the package's load time.
      get items() {
        return toJsonSchema(item);
      },
      ...(min > 0 ? { minItems: min } : {}),
      ...(max < Infinity ? { maxItems: max } : {}),
    });
  return schema as SchemaOf<T[]>;
}

function outerFault(value: unknown, min: number, max: number): object | undefined {
  if (!Array.isArray(value)) return { code: 'invalid_type', expected: 'array' };
  if (value.length < min) return { code: 'too_small', origin: 'array', minimum: min };
  return value.length > max ? { code: 'too_big', origin: 'array', maximum: max } : undefined;
}
