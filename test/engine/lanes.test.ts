import { serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Assembly, Lanes, partBytes, type Part } from '../../src/engine/lanes.ts';

/** Lanes whose pipe takes parts one by one. */
function open() {
  const pipe: { readonly part: Part; readonly onWritten: () => void }[] = [];
  const onUnsendable = vi.fn<(id: number, error: unknown) => void>();
  const lanes = new Lanes({
    write: (part, onWritten) => void pipe.push({ part, onWritten }),
    onUnsendable,
  });
  const incoming = new Assembly<unknown>();
  const arrived: unknown[] = [];
  /** Takes the next part. @returns the id of its message */
  const take = (): number | undefined => {
    const next = pipe.shift();
    if (!next) return undefined;
    const message = incoming.add(next.part);
    if (message) arrived.push(message.read());
    next.onWritten();
    return next.part.id;
  };
  const takeAll = (): number[] => {
    const ids: number[] = [];
    for (let id = take(); id !== undefined; id = take()) ids.push(id);
    return ids;
  };
  const add = (owner: string, id: number, message: unknown): void =>
    lanes.add(owner, id, () => serialize(message));
  return { lanes, pipe, onUnsendable, arrived, incoming, add, take, takeAll };
}

const large = 'x'.repeat(20 * partBytes);

it('a small message of one owner passes the large ones of another', () => {
  const { add, take, arrived } = open();
  for (let id = 0; id < 60; id++) add('a', id, large);
  for (let part = 0; part < 5; part++) take();
  add('b', 99, 'small');
  // Two parts are in the pipe, and it is the other owner's turn.
  const before = [take(), take(), take(), take()];
  expect(before.indexOf(99)).toBeGreaterThanOrEqual(0);
  expect(arrived).toEqual(['small']);
});

it('is serialized when it is its turn, one message of an owner at a time', () => {
  const { lanes, take } = open();
  const makes = [0, 1, 2].map((id) => vi.fn<() => Uint8Array>(() => serialize(large + id)));
  for (const [id, make] of makes.entries()) lanes.add('a', id, make);
  expect(makes.map((make) => make.mock.calls.length)).toEqual([1, 0, 0]);
  for (let part = 0; part < 19; part++) take();
  expect(makes.map((make) => make.mock.calls.length)).toEqual([1, 0, 0]);
  take();
  expect(makes.map((make) => make.mock.calls.length)).toEqual([1, 1, 0]);
});

it('messages arrive whole, those of an owner in their order', () => {
  const sizes = fc.integer({ min: 0, max: 3 * partBytes });
  const messages = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), sizes), { maxLength: 12 });
  fc.assert(
    fc.property(messages, (all) => {
      const { add, takeAll, arrived, lanes } = open();
      const sent = all.map(([owner, size], id) => ({ owner, id, text: 'y'.repeat(size) }));
      for (const message of sent) add(message.owner, message.id, message);
      takeAll();
      expect(lanes.isFree).toBe(true);
      expect(arrived).toHaveLength(sent.length);
      for (const owner of ['a', 'b', 'c']) {
        const own = (message: unknown): boolean => (message as { owner: string }).owner === owner;
        expect(arrived.filter(own)).toEqual(sent.filter(own));
      }
    }),
  );
});

it('a message that is no plain data is dropped, and the next one leaves', () => {
  const { add, takeAll, arrived, onUnsendable } = open();
  add('a', 1, () => undefined);
  add('a', 2, 'next');
  takeAll();
  expect(onUnsendable.mock.calls.map(([id]) => id)).toEqual([1]);
  expect(arrived).toEqual(['next']);
});

it('a message that is dropped leaves nothing behind, whatever was sent of it', () => {
  const { add, take, takeAll, arrived, incoming, lanes } = open();
  add('a', 1, large);
  add('a', 2, 'next');
  take();
  expect(lanes.drop('a', 1)).toBe(true);
  expect(takeAll()).toEqual([1, 1, 2]);
  incoming.drop(1);
  expect(lanes.drop('a', 1)).toBe(false);
  expect(lanes.drop('b', 7)).toBe(false);
  expect(arrived).toEqual(['next']);
});

it('a run that is ahead of the pipe waits for its own messages alone', async () => {
  const { add, lanes, take } = open();
  for (let id = 0; id < 6; id++) add('a', id, 'one');
  add('b', 9, 'other');
  expect(lanes.whenSent('b')).toBeUndefined();
  let isSent = false;
  const sent = lanes.whenSent('a')!.then(() => (isSent = true));
  take();
  await Promise.resolve();
  expect(isSent).toBe(false);
  for (let part = 0; part < 4; part++) take();
  await sent;
});
