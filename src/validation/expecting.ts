import { describeValue } from '../core/text/quote.ts';

/** A schema's error for values that don't fit. */
export function expecting(expected: string) {
  return {
    error: ({ input }: { input?: unknown }): string => `expected ${expected}, got ${describeValue(input)}`,
  };
}
