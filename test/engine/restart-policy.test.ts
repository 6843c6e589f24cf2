import { expect, it } from 'vitest';
import { createBackOff, defaultRestartPolicy } from '../../src/engine/restart-policy.ts';

it('doubles the wait with every worker lost in a row, up to the longest', () => {
  const backOff = createBackOff(defaultRestartPolicy);
  const delays = Array.from({ length: 9 }, () => backOff.lost(59_999));
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(backOff.losses).toBe(9);
});

it('is a loop after three in a row, and none after a worker that was healthy', () => {
  const backOff = createBackOff(defaultRestartPolicy);
  const loops = Array.from({ length: 5 }, () => {
    backOff.lost(0);
    return backOff.isLoop;
  });
  expect(loops).toEqual([false, false, false, true, true]);
  backOff.lost(60_000);
  expect(backOff.isLoop).toBe(false);
});

it('stays at the longest wait for ever', () => {
  const backOff = createBackOff(defaultRestartPolicy);
  for (let losses = 0; losses < 5000; losses++) backOff.lost(0);
  expect(backOff.lost(0)).toBe(30_000);
});

it('starts anew after a worker that was healthy', () => {
  const backOff = createBackOff(defaultRestartPolicy);
  backOff.lost(0);
  backOff.lost(0);
  expect(backOff.lost(60_000)).toBe(250);
  expect(backOff.lost(0)).toBe(500);
});
