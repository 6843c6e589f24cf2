import { z } from 'zod';
import { InferenceError } from '../errors.ts';
import { wholeNumber } from '../validation/number-schema.ts';
import type { InputsOf } from '../validation/setting-table.ts';

export const gateFields = {
  /** Max bodies of all callers. */
  count: wholeNumber().optional(),
  /** Max bodies of one key. */
  countPerKey: wholeNumber().optional(),
  /** Max bytes of all callers. */
  bytes: z.number().optional(),
  /** Max bytes of one key. */
  bytesPerKey: z.number().optional(),
};

/** Max simultaneous bodies of one kind; keys with the same `id` count as one. */
export interface BodyGateLimits extends InputsOf<typeof gateFields> {}

export type ResolvedGateLimits = { readonly [Name in keyof BodyGateLimits]-?: number };

export type BodyGate = ReturnType<typeof createBodyGate>;

interface Usage {
  count: number;
  bytes: number;
}

const retryAfterSeconds = 5;

export function createBodyGate(kind: string, limits: ResolvedGateLimits, freeBytes = 0) {
  const tooMany = (code: 'rate_limited' | 'overloaded', what: string): InferenceError => {
    const whose = code === 'rate_limited' ? 'This key has' : 'The service has';
    const message = `${whose} ${what} in progress, the maximum. Try again in ${retryAfterSeconds} s.`;
    return new InferenceError(code, message, { retryAfterSeconds });
  };
  const all: Usage = { count: 0, bytes: 0 };
  const owners = new Map<string, Usage>();
  return {
    freeBytes,
    /** @param owner of the key; `undefined` for an open service, which has only the limits of all callers */
    enter(owner: string | undefined) {
      const own = owner === undefined ? undefined : (owners.get(owner) ?? { count: 0, bytes: 0 });
      if (own && own.count >= limits.countPerKey) throw tooMany('rate_limited', `${own.count} ${kind}`);
      if (all.count >= limits.count) throw tooMany('overloaded', `${all.count} ${kind}`);
      if (own) owners.set(owner!, own);
      const usages = own ? [all, own] : [all];
      const add = (count: number, bytes: number): void => {
        for (const usage of usages) {
          usage.count += count;
          usage.bytes += bytes;
        }
      };
      add(1, 0);
      let [held, left] = [0, false];
      return {
        grow(bytes: number): void {
          const more = bytes - freeBytes - held;
          if (more <= 0) return;
          if (own && own.bytes + more > limits.bytesPerKey)
            throw tooMany('rate_limited', `${kind} of ${limits.bytesPerKey} bytes`);
          if (all.bytes + more > limits.bytes)
            throw tooMany('overloaded', `${kind} of ${limits.bytes} bytes`);
          add(0, more);
          held += more;
        },
        shrink(bytes: number): void {
          const less = held - Math.max(0, bytes - freeBytes);
          if (left || less <= 0) return;
          add(0, -less);
          held -= less;
        },
        leave(): void {
          if (left) return;
          left = true;
          add(-1, -held);
          if (own?.count === 0) owners.delete(owner!);
        },
      };
    },
  };
}
