import { expect, it } from 'vitest';
import { resolveLimits } from '../../src/engine/limits.ts';

it('fills in the defaults', () => {
  expect(resolveLimits('toy', {})).toEqual({ replicas: 1, maxQueue: 64, deadlineMs: 600_000 });
});

it.each([
  [{ replicas: 0 }, 'toy.replicas'],
  [{ replicas: 1.5 }, 'toy.replicas'],
  [{ maxQueue: -1 }, 'toy.maxQueue'],
  [{ deadlineMs: 0 }, 'toy.deadlineMs'],
  [{ deadlineMs: 2 ** 31 }, 'toy.deadlineMs'],
  [{ maxQueue: '5' as never }, 'toy.maxQueue'],
])('rejects %j', (limits, param) => {
  expect(() => resolveLimits('toy', limits)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param }),
  );
});
