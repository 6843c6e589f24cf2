import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { beatIntervalMs, busyBeat, idleBeat, watchPulse } from '../../src/engine/heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watch = () => {
  const onHang = vi.fn();
  return { onHang, pulse: watchPulse({ hangMs: 10 * beatIntervalMs, onHang }) };
};

it('a worker that has never beaten does not count as hung', () => {
  const { onHang } = watch();
  vi.advanceTimersByTime(1000 * beatIntervalMs);
  expect(onHang).not.toHaveBeenCalled();
});

it('silence counts as hung, once', () => {
  const { onHang, pulse } = watch();
  pulse.read(idleBeat);
  vi.advanceTimersByTime(10 * beatIntervalMs);
  expect(onHang).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100 * beatIntervalMs);
  expect(onHang).toHaveBeenCalledOnce();
});

it('each beat starts the time anew; no more is told after the end', () => {
  const { onHang, pulse } = watch();
  for (let beat = 0; beat < 40; beat++) {
    pulse.read(busyBeat);
    vi.advanceTimersByTime(9 * beatIntervalMs);
  }
  pulse.stop();
  vi.advanceTimersByTime(100 * beatIntervalMs);
  expect(onHang).not.toHaveBeenCalled();
});

it.each([
  ['', false],
  [idleBeat, false],
  [busyBeat, true],
  [idleBeat + busyBeat, true],
  [busyBeat + idleBeat, false],
])('the last beat of %j tells whether it is busy: %s', (beats, isBusy) => {
  const { pulse } = watch();
  pulse.read(beats);
  expect(pulse.isBusy).toBe(isBusy);
  pulse.stop();
});
