import { describeValue } from '../core/text/quote.ts';

export function expecting(expected: string) {
  return {
    error: ({ input }: { input?: unknown }): string => `expected ${expected}, got ${describeValue(input)}`,
  };
}
