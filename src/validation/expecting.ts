import { describeValue } from '../core/text/quote.ts';

/** The message of a schema for values that don't fit it. */
export function expecting(expected: string) {
  return {
    error: ({ input }: { input?: unknown }): string => `expected ${expected}, got ${describeValue(input)}`,
  };
}
