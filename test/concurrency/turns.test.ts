import { expect, it } from 'vitest';
import { Turns } from '../../src/concurrency/in-slices.ts';

it('owners take turns slice by slice, and everything else runs between two slices', async () => {
  const turns = new Turns();
  const trace: string[] = [];
  const work = async (owner: string, slices: number) => {
    for (let slice = 0; slice < slices; slice++) {
      await turns.next(owner);
      trace.push(owner);
      setImmediate(() => trace.push('-'));
    }
  };
  await Promise.all([work('a', 4), work('a', 4), work('a', 4), work('b', 2)]);
  expect(trace.slice(0, 7)).toEqual(['a', 'b', '-', 'a', '-', 'b', '-']);
  expect(trace.filter((owner) => owner === 'a')).toHaveLength(12);
});
