import { setImmediate as nextTurn } from 'node:timers/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { limitConcurrency } from '../../src/concurrency/limit-concurrency.ts';

it('runs no more at once than it may, in order, whatever fails', async () => {
  const inTurn = limitConcurrency(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const task = (index: number) => async () => {
    started.push(index);
    most = Math.max(most, (running += 1));
    await sleep(index % 3);
    running -= 1;
    if (index % 4 === 1) throw new Error(`task ${index}`);
    return index;
  };
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => inTurn(task(index))));
  expect(most).toBe(2);
  expect(started).toEqual([...started.keys()]);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
    started.map((index) => index % 4 !== 1),
  );
  await expect(inTurn(async () => 'again')).resolves.toBe('again');
});

it('owners take turns, each with its tasks in order', async () => {
  const inTurn = limitConcurrency(1);
  const ran: string[] = [];
  const run = (name: string, owner: string) => inTurn(async () => void ran.push(name), { owner });
  await Promise.all([run('a1', 'a'), run('a2', 'a'), run('a3', 'a'), run('b1', 'b'), run('c1', 'c')]);
  expect(ran).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});

it('an owner who comes back after every task gets no more turns than one who has many waiting', async () => {
  const inTurn = limitConcurrency(1);
  const ran: string[] = [];
  const run = (owner: string) => inTurn(async () => void ran.push(owner), { owner });
  const slices = async (owner: string, count: number) => {
    for (let slice = 0; slice < count; slice++) await run(owner);
  };
  await Promise.all([slices('a', 6), slices('a', 6), slices('a', 6), slices('b', 3)]);
  expect(ran.slice(0, 6).filter((owner) => owner === 'b')).toHaveLength(3);
});

it('a task that is aborted while it waits leaves the queue at once', async () => {
  const inTurn = limitConcurrency(1);
  let finish = (): void => {};
  const first = inTurn(() => new Promise<void>((resolve) => (finish = resolve)));
  const controller = new AbortController();
  const aborted = inTurn(async () => 'ran', controller);
  const last = inTurn(async () => 'last', new AbortController());
  controller.abort(new Error('left'));
  await expect(aborted).rejects.toThrow('left');
  finish();
  await first;
  await expect(last).resolves.toBe('last');
  await expect(inTurn(async () => 'ran', controller)).rejects.toThrow('left');
});

it('short tasks of an owner who comes back after each wait for one long task of another', async () => {
  let clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const inTurn = limitConcurrency(1);
  const ran: string[] = [];
  const run = (owner: string, ms: number) =>
    inTurn(
      async () => {
        ran.push(owner);
        await nextTurn();
        clock += ms;
      },
      { owner },
    );
  const long = Array.from({ length: 10 }, () => run('a', 100));
  const short = async () => {
    for (let task = 0; task < 20; task++) await run('b', 5);
  };
  await Promise.all([...long, short()]);
  expect(ran.slice(0, 22).join('')).toBe(`a${'b'.repeat(20)}a`);
});

it('an owner of whom nothing runs has a place of the reserve', async () => {
  const inTurn = limitConcurrency(2, 1);
  const ran: string[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = (owner: string) => inTurn(() => (ran.push(owner), ended), { owner });
  const all = ['a', 'a', 'a', 'b', 'b', 'c'].map(run);
  await nextTurn();
  expect(ran).toEqual(['a', 'a', 'b']);
  end();
  await Promise.all(all);
  expect(ran).toHaveLength(6);
});
