import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Observers } from '../../src/observers.ts';
import { requireOptional } from '../../src/observability/optional-package.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { Observer } from '../../src/contracts/observer.ts';
import { chatBody, eventsOf, send } from '../server/support.ts';
import { createInference } from './support.ts';

const emitWarning = vi.spyOn(process, 'emitWarning');
beforeEach(() => void emitWarning.mockReturnValue());
afterEach(() => void emitWarning.mockReset());

const hooks = [
  'onAttach',
  'onRequestStart',
  'onRequestEnd',
  'onRunStart',
  'onRunDispatch',
  'onRunFirstOutput',
  'onRunEvents',
  'onRunEnd',
] as const satisfies readonly (keyof Observer)[];

/** Does the same whatever it is told. */
const uniform = (hook: () => unknown): Observer => Object.fromEntries(hooks.map((name) => [name, hook]));

describe('observers', () => {
  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('observer');
      },
    ],
    ['reject', () => Promise.reject(new Error('observer'))],
    [
      'throw nothing',
      () => {
        throw undefined;
      },
    ],
    [
      'throw what is no text',
      () => {
        throw Object.create(null);
      },
    ],
  ])('that %s change nothing, and are reported once', async (_what, hook) => {
    const told: string[] = [];
    const good: Observer = Object.fromEntries(hooks.map((name) => [name, () => void told.push(name)]));
    const handler = createHandler(createInference(), { auth: 'none', observers: [uniform(hook), good] });
    const answer = await send(handler, { json: chatBody({ stream: true }) });
    expect(answer.status).toBe(200);
    expect(eventsOf(answer.text).at(-1)).toBe('[DONE]');
    await wait(1);
    expect(emitWarning).toHaveBeenCalledOnce();
    expect(new Set(told)).toEqual(new Set(hooks));
  });

  it('that never settle hold nothing up', async () => {
    const handler = createHandler(createInference(), {
      auth: 'none',
      observers: [uniform(() => new Promise(() => {}))],
    });
    expect((await send(handler, { json: chatBody() })).status).toBe(200);
  });

  it('are told of a run between the beginning and the end of its request, all with the same objects', async () => {
    const told: [string, unknown][] = [];
    const observer: Observer = Object.fromEntries(
      hooks.map((name) => [name, (subject: unknown) => void told.push([name, subject])]),
    );
    const handler = createHandler(createInference(), { auth: 'none', observers: [observer] });
    await send(handler, { json: chatBody() });
    const names = told.map(([name]) => name).filter((name) => name !== 'onRunEvents');
    expect(names).toEqual([
      'onAttach',
      'onRequestStart',
      'onRunStart',
      'onRunDispatch',
      'onRunFirstOutput',
      'onRunEnd',
      'onRequestEnd',
    ]);
    const subjectOf = (wanted: string) => told.find(([name]) => name === wanted)![1] as { origin?: unknown };
    expect(subjectOf('onRunEnd')).toBe(subjectOf('onRunStart'));
    expect(subjectOf('onRunStart').origin).toBe(subjectOf('onRequestStart'));
    expect(subjectOf('onRequestEnd')).toBe(subjectOf('onRequestStart'));
  });

  it('may leave, also while they are told', async () => {
    const inference = createInference();
    const told: string[] = [];
    const leave = inference.observe!({
      onRunStart() {
        told.push('first');
        leave();
      },
    });
    inference.observe!({ onRunStart: () => void told.push('second') });
    await inference.embed({ model: 'fake-embedder', input: 'x' });
    await inference.embed({ model: 'fake-embedder', input: 'x' });
    expect(told).toEqual(['first', 'second', 'second']);
  });

  it.each([null, 'metrics', () => {}])('are refused where they are %s', (observer) => {
    const observers = [observer as unknown as Observer];
    expect(() => createHandler(createInference(), { auth: 'none', observers })).toThrow(
      /^observers: expected/,
    );
  });

  it('cost nothing where there are none: no object of theirs is made, nothing is timed for them', async () => {
    const readsOfClock = async (observers: readonly Observer[]): Promise<number> => {
      // A clock that stands still: on a busy machine checks would have more pieces.
      const standing = performance.now();
      const now = vi.spyOn(performance, 'now').mockReturnValue(standing);
      await send(createHandler(createInference(), { auth: 'none', observers }), { json: chatBody() });
      const { length } = now.mock.calls;
      now.mockRestore();
      return length;
    };
    // The handler times its own checks, to give way to others, and the body, for the caller's deadline.
    expect(await readsOfClock([])).toBe(10);
    expect(await readsOfClock([{ onRequestEnd: () => {} }])).toBeGreaterThan(10);
    expect(new Observers([]).isEmpty).toBe(true);
  });

  it('are no business of an inference that a service has made up itself', async () => {
    const { observe: _left, ...inference } = createInference();
    const onRequestEnd = vi.fn();
    const handler = createHandler(inference, { auth: 'none', observers: [{ onRequestEnd }] });
    await send(handler, { json: chatBody() });
    expect(onRequestEnd).toHaveBeenCalledOnce();
  });
});

it('a package that is not installed is named with the way to install it', () => {
  expect(() => requireOptional('no-such-package', 'createMetrics')).toThrow(
    'createMetrics needs the package no-such-package: npm install no-such-package',
  );
});
