import { expect, it } from 'vitest';
import { limitSettings, resolveLimits } from '../../src/engine/limits.ts';
import { assertOptions } from '../../src/validation/assert-options.ts';

it('fills in the defaults', () => {
  expect(resolveLimits({})).toEqual({
    replicas: [{}],
    maxQueue: 64,
    deadlineMs: 600_000,
    loadOnDemand: false,
    idleUnloadMs: undefined,
  });
});

it.each([
  [{ idleUnloadMs: 1000 }, false, true],
  [{ idleUnloadMs: 1000, loadOnDemand: false }, false, false],
  [{}, true, true],
  [{ loadOnDemand: false }, true, false],
] as const)('%j with limited room %s loads on demand: %s', (limits, isRoomLimited, loadOnDemand) => {
  expect(resolveLimits(limits, isRoomLimited)).toMatchObject({ loadOnDemand });
});

it('makes a list of replicas of their number', () => {
  expect(resolveLimits({ replicas: 2 }).replicas).toEqual([{}, {}]);
  const replicas = [{ device: 'cuda:0' }, { threads: 2 }] as const;
  expect(resolveLimits({ replicas }).replicas).toEqual(replicas);
});

it.each([
  [{ replicas: 0 }, 'toy.replicas'],
  [{ replicas: 1.5 }, 'toy.replicas'],
  [{ replicas: [] }, 'toy.replicas'],
  [{ replicas: [{}, { device: 'cuda:x' as never }] }, 'toy.replicas[1].device'],
  [{ replicas: [{ threads: 1025 }] }, 'toy.replicas[0].threads'],
  [{ replicas: [{ maxQueue: 3 } as never] }, 'toy.replicas[0]'],
  [{ idleUnloadMs: 0 }, 'toy.idleUnloadMs'],
  [{ maxQueue: -1 }, 'toy.maxQueue'],
  [{ deadlineMs: 0 }, 'toy.deadlineMs'],
  [{ deadlineMs: 2 ** 31 }, 'toy.deadlineMs'],
  [{ maxQueue: '5' as never }, 'toy.maxQueue'],
])('rejects %j', (limits, param) => {
  expect(() => assertOptions('A model', limitSettings, limits, { path: 'toy' })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param }),
  );
});
