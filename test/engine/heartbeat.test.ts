import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { beatIntervalMs, formatBeat, stopMs, watchPulse } from '../../src/engine/heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watch = (memoryMs = 0) => {
  const onHang = vi.fn();
  return { onHang, pulse: watchPulse({ hangMs: 10 * beatIntervalMs, onHang, memoryMs }) };
};
const idleBeat = formatBeat({ isOccupied: false, cpuMs: 0 });
const busyBeat = formatBeat({ isOccupied: true, cpuMs: 0 });

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

it.each([
  ['a stopped worker', true, 1],
  ['a worker that has work for all processors', false, 0],
])('shorter silence counts where a signal was the reason: %s', (_, isStopped, times) => {
  const onHang = vi.fn();
  const pulse = watchPulse({ hangMs: 2 * stopMs, onHang, isStopped: () => isStopped });
  pulse.read(idleBeat);
  vi.advanceTimersByTime(stopMs);
  expect(onHang).not.toHaveBeenCalled();
  vi.advanceTimersByTime(beatIntervalMs);
  expect(onHang).toHaveBeenCalledTimes(times);
  pulse.stop();
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

it.each<[string, number[], boolean]>([
  ['a worker without work', [100, 100.6, 101.1, 101.6], false],
  ['a thread that computes all the time', [100, 600], true],
  ['a thread that hardly gets a processor', [100, 103], true],
  ['a step that has ended', [100, 600, 600.5], false],
])('processor time tells whether it is busy, whatever its event loop does: %s', (_, used, isBusy) => {
  const { pulse } = watch();
  for (const cpuMs of used) pulse.read(formatBeat({ isOccupied: false, cpuMs }));
  expect(pulse.isBusy).toBe(isBusy);
  expect(pulse.cpuMs).toBe(Math.round(used.at(-1)!));
  pulse.stop();
});

it('work is remembered for as long as a cancellation may take', () => {
  const { pulse } = watch(3 * beatIntervalMs);
  pulse.read(formatBeat({ isOccupied: false, cpuMs: 50 }));
  for (const [index, isBusy] of [true, true, false].entries()) {
    pulse.read(formatBeat({ isOccupied: false, cpuMs: 50 }));
    expect(pulse.isBusy, `${index}`).toBe(isBusy);
  }
  pulse.stop();
});
