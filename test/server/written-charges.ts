import type { Limiter, LimiterFactory } from '../../src/server/rate-limit.ts';

/** A limiter with room for all; writes down each charge, made of what was reserved and how that was settled. */
export function limiterThatWrites(charges: number[]): LimiterFactory {
  let reserved: number | undefined;
  const state = { consumedPoints: 0, remainingPoints: 1e9, msBeforeNext: 1000 };
  const move = async (points: number): Promise<typeof state> => {
    if (reserved === undefined) reserved = points;
    else {
      charges.push(reserved + points);
      reserved = undefined;
    }
    return state;
  };
  return (): Limiter => ({
    consume: async () => state,
    get: async () => state,
    reward: (_key, points) => move(-points),
    penalty: (_key, points) => move(points),
  });
}
