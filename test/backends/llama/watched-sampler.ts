import { AsyncLocalStorage } from 'node:async_hooks';
import type { createSampler, Sampler } from '../../../src/core/sampling/sampler.ts';

/** The tokens that one choice of a request drew, its last one included. */
export interface Drawn {
  readonly tokens: number[];
  /** Number of its first tokens that logits within the tolerance would draw as well. */
  sure: number;
}

const drawn = new AsyncLocalStorage<Drawn[]>();

/** Runs a request whose samplers are watched, and returns what each of them drew. */
export async function watch(request: () => Promise<void>): Promise<readonly Drawn[]> {
  const all: Drawn[] = [];
  await drawn.run(all, request);
  return all;
}

/** Tokens in the order of their ids around the one that is drawn: worst are those that move all before it, or all after it. */
const shifts: readonly ((token: number, chosen: number) => number)[] = [
  (token, chosen) => (token === chosen ? -1 : 1),
  (token, chosen) => (token < chosen ? 1 : -1),
  (token, chosen) => (token > chosen ? 1 : -1),
];

/** `createSampler` whose samplers are watched: twins with the same random numbers read logits that are a bit different. */
export function watching(create: typeof createSampler, tolerance: number): typeof createSampler {
  return (...options) => {
    const sampler = create(...options);
    const twins = shifts.map(() => create(...options));
    const record: Drawn = { tokens: [], sure: 0 };
    drawn.getStore()?.push(record);
    return {
      ...sampler,
      needsAllLogits: true,
      sample(logits, allow) {
        const chosen = sampler.sample(logits, allow);
        const isSure = twins.every((twin, index) => {
          const shifted = logits.map((logit, token) => logit + tolerance * shifts[index]!(token, chosen));
          return twin.sample(shifted, allow) === chosen;
        });
        if (isSure && record.sure === record.tokens.length) record.sure++;
        record.tokens.push(chosen);
        return chosen;
      },
      accept(token) {
        for (const each of [sampler, ...twins]) each.accept(token);
      },
    } satisfies Sampler;
  };
}
