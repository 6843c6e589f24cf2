import { expect, it, vi } from 'vitest';
import { onceAllAborted } from '../../src/runtime/all-aborted.ts';

function start(count: number) {
  const controllers = Array.from({ length: count }, () => new AbortController());
  const listener = vi.fn<() => void>();
  const signals = controllers.map(({ signal }) => signal);
  return { controllers, listener, signals };
}

it('calls back when the last signal is aborted', () => {
  const { controllers, listener, signals } = start(3);
  controllers[0]!.abort();
  onceAllAborted([...signals, signals[1]], listener);
  controllers[2]!.abort();
  expect(listener).not.toHaveBeenCalled();
  controllers[1]!.abort();
  expect(listener).toHaveBeenCalledOnce();
});

it('never does where a request has no signal, or when it stopped listening', () => {
  const { controllers, listener, signals } = start(1);
  onceAllAborted([...signals, undefined], listener);
  onceAllAborted([], listener);
  onceAllAborted(signals, listener)();
  controllers[0]!.abort();
  expect(listener).not.toHaveBeenCalled();
});
