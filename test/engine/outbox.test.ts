import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOutbox } from '../../src/engine/outbox.ts';
import type { WorkerProgress } from '../../src/engine/protocol.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';

const text = (content: string): ChatEvent => ({ type: 'text-delta', choice: 0, text: content });
const broken = { type: 'text-delta', choice: 0, text: () => '' } as never;

function collect(intervalMs = 0) {
  const sent: (readonly WorkerProgress[])[] = [];
  const onUnsendable = vi.fn<(id: number, error: unknown) => void>();
  const send = (runs: readonly WorkerProgress[]): void =>
    void sent.push(structuredClone(runs) as WorkerProgress[]);
  return { sent, onUnsendable, outbox: createOutbox({ send, onUnsendable, intervalMs }) };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

describe('createOutbox', () => {
  it('sends the events of one tick and its microtasks as one message, in order', async () => {
    const { sent, outbox } = collect();
    outbox.event(1, text('a'));
    await Promise.resolve();
    outbox.event(2, text('x'));
    await Promise.resolve();
    outbox.event(1, text('b'));
    outbox.end(1, undefined);
    await nextTurn();
    outbox.event(2, text('y'));
    await nextTurn();
    expect(sent).toEqual([
      [
        { id: 1, events: [text('a'), text('b')], end: { error: undefined } },
        { id: 2, events: [text('x')] },
      ],
      [{ id: 2, events: [text('y')] }],
    ]);
  });

  it('an event that cannot be cloned costs its own run only', async () => {
    const { sent, outbox, onUnsendable } = collect();
    outbox.event(1, broken);
    outbox.event(2, text('x'));
    outbox.event(3, broken);
    outbox.end(3, undefined);
    await nextTurn();
    expect(onUnsendable.mock.calls.map(([id]) => id)).toEqual([1]);
    expect(sent).toEqual([
      [{ id: 2, events: [text('x')] }],
      [{ id: 3, events: [], end: { error: { code: 'internal', message: 'Internal error.' } } }],
    ]);
  });
});

describe('a model that takes many steps in a few milliseconds', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('sends the first event at once and the next ones together', async () => {
    const { sent, outbox } = collect(4);
    outbox.event(1, text('a'));
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([[{ id: 1, events: [text('a')] }]]);
    for (const content of ['b', 'c', 'd']) {
      outbox.event(1, text(content));
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(sent.slice(1)).toEqual([[{ id: 1, events: [text('b'), text('c'), text('d')] }]]);
  });

  it('keeps a steady pace where steps keep the timer waiting', async () => {
    const { sent, outbox } = collect(16);
    const sizes = async (stepMs: number, steps: number): Promise<number[]> => {
      sent.length = 0;
      for (let step = 0; step < steps; step++) {
        outbox.event(1, text('a'));
        await nextTick();
        // The thread computes, and timers wait.
        busy += stepMs;
      }
      return sent.map(([run]) => run!.events.length);
    };
    let busy = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => busy);
    expect(await sizes(13, 8)).toEqual(Array.from({ length: 8 }, () => 1));
    busy += 1000;
    expect(await sizes(4, 9)).toEqual([1, 4, 4]);
    busy += 1000;
    expect(await sizes(6, 7)).toEqual([1, 3, 3]);
  });

  it('lets no end wait', async () => {
    const { sent, outbox } = collect(4);
    outbox.event(1, text('a'));
    await vi.advanceTimersByTimeAsync(1);
    outbox.event(1, text('b'));
    outbox.end(1, undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.slice(1)).toEqual([[{ id: 1, events: [text('b')], end: { error: undefined } }]]);
    await vi.advanceTimersByTimeAsync(10);
    expect(sent).toHaveLength(2);
  });
});
