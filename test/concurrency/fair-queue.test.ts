import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/concurrency/fair-queue.ts';
import { createRng } from '../../src/core/sampling/rng.ts';

/** @param items `[name, cost]`, owned by the first letter of the name */
function queueOf(...items: readonly [string, number][]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const [name, cost] of items) queue.add(name, name[0], cost);
  return queue;
}

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

describe('order', () => {
  it('one owner gets its items in the order in which they came, whatever they cost', () => {
    expect(takeAll(queueOf(['a1', 100], ['a2', 1], ['a3', 1000], ['a4', 2]))).toEqual([
      'a1',
      'a2',
      'a3',
      'a4',
    ]);
  });

  it('two owners take turns', () => {
    expect(takeAll(queueOf(['a1', 1], ['a2', 1], ['a3', 1], ['b1', 1], ['b2', 1]))).toEqual([
      'a1',
      'b1',
      'a2',
      'b2',
      'a3',
    ]);
  });

  it('an owner of costly items gets fewer of them', () => {
    const queue = queueOf(
      ['a1', 3],
      ['a2', 3],
      ...[1, 2, 3, 4, 5].map((n): [string, number] => [`b${n}`, 1]),
    );
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'b5']);
  });

  it('an owner whose item cost more than was expected waits for the others', () => {
    const queue = queueOf(['a1', 1], ['a2', 1], ['b1', 1]);
    expect(queue.take()).toBe('a1');
    queue.charge('a', 2);
    queue.add('b2', 'b');
    queue.add('b3', 'b');
    queue.charge('c', 5);
    expect(takeAll(queue)).toEqual(['b1', 'b2', 'b3', 'a2']);
  });

  it('a newcomer goes before an owner who has just had an item', () => {
    const queue = queueOf(['a1', 1]);
    expect(queue.take()).toBe('a1');
    queue.add('a2', 'a');
    queue.add('b1', 'b');
    expect(takeAll(queue)).toEqual(['b1', 'a2']);
  });

  it('time without items earns nothing', () => {
    const queue = queueOf(['b1', 1]);
    expect(queue.take()).toBe('b1');
    for (let n = 0; n < 50; n++) queue.add(`a${n}`, 'a');
    for (let n = 0; n < 40; n++) queue.take();
    for (let n = 0; n < 5; n++) queue.add(`b${n}`, 'b');
    const owners = Array.from({ length: 10 }, () => queue.take()![0]);
    expect(owners.filter((owner) => owner === 'b')).toHaveLength(5);
    expect(owners.slice(0, 4).toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('forgets at its end who has had how much', () => {
    const queue = queueOf(['a1', 1000]);
    queue.take();
    queue.settle();
    queue.add('a2', 'a');
    queue.add('b1', 'b');
    queue.add('b2', 'b');
    expect(takeAll(queue)).toEqual(['a2', 'b1', 'b2']);
  });
});

describe('content', () => {
  it('passes over owners whose next item does not fit, and keeps their turn', () => {
    const queue = queueOf(['a1', 1], ['a2', 1], ['b1', 1], ['b2', 1], ['b3', 1]);
    expect(queue.take((item) => !item.startsWith('a'))).toBe('b1');
    expect(queue.take((item) => item === 'none')).toBeUndefined();
    expect(takeAll(queue)).toEqual(['a1', 'b2', 'a2', 'b3']);
  });

  it('counts, lists and deletes', () => {
    const queue = queueOf(['a1', 1], ['b1', 1], ['a2', 1]);
    expect([...queue]).toEqual(['a1', 'b1', 'a2']);
    expect([queue.delete('a1'), queue.delete('a1')]).toEqual([true, false]);
    expect([queue.size, queue.countOf('a'), queue.countOf('b'), queue.countOf('c')]).toEqual([2, 1, 1, 0]);
    expect([queue.has('a1'), queue.has('a2')]).toEqual([false, true]);
    queue.delete('b1');
    expect(takeAll(queue)).toEqual(['a2']);
    expect(queue.countOf('a')).toBe(0);
  });

  it('nobody waits for more than the share of the others, with 10,000 items of 100 owners', () => {
    const queue = new FairQueue<string>();
    const rng = createRng(1);
    for (let n = 0; n < 10_000; n++) {
      const owner = `o${Math.floor(rng.next() ** 2 * 100)}`;
      queue.add(`${owner}:${n}`, owner, 1 + Math.floor(rng.next() * 9));
    }
    const rounds = takeAll(queue).map((item) => item.split(':')[0]!);
    expect(rounds).toHaveLength(10_000);
    // Nobody has more than two of the costliest before all have had their first.
    const firsts = new Set(rounds.slice(0, 250));
    expect(firsts.size).toBe(100);
  });
});
