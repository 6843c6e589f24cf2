import { expect, it } from 'vitest';
import { inSlices, Turns } from '../../src/concurrency/in-slices.ts';

/** Work of so many parts, each of which takes 5 ms of a clock that only they move. */
function* work(parts: number, onPart: () => void): Generator<void, number> {
  for (let part = 0; part < parts; part++) {
    onPart();
    yield;
  }
  return parts;
}

function clock() {
  let time = 0;
  return { now: () => time, pass: () => void (time += 5) };
}

it('a short piece of work of another owner waits for one slice of the long ones', async () => {
  const turns = new Turns();
  const { now, pass } = clock();
  let parts = 0;
  const onPart = (): void => {
    parts++;
    pass();
  };
  const options = { turns, owner: 'large', signal: undefined, now };
  const large = [1, 2, 3].map(() => inSlices(work(1000, onPart), options));
  const small = inSlices(work(1, pass), { turns, owner: 'small', signal: undefined, now });
  expect(await small).toBe(1);
  expect(parts).toBeLessThanOrEqual(10);
  expect(await Promise.all(large)).toEqual([1000, 1000, 1000]);
});

it('ends between two slices where nobody wants it any more', async () => {
  const controller = new AbortController();
  const { now, pass } = clock();
  let parts = 0;
  const onPart = (): void => {
    pass();
    if (++parts === 7) controller.abort();
  };
  const { signal } = controller;
  const run = inSlices(work(1000, onPart), { turns: new Turns(), owner: undefined, signal, now });
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  expect(parts).toBe(8);
});
