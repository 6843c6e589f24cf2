import { describe, expect, it } from 'vitest';
import { MemoryResponseStore } from '../../src/server/memory-response-store.ts';

function open(limits: { maxCount?: number; maxBytes?: number } = {}) {
  let time = 0;
  const store = new MemoryResponseStore({ maxCount: 100, maxBytes: 1e5, ...limits }, () => time);
  return {
    store,
    put: (key: string, length = 10, seconds = 60) => store.set(key, 'a'.repeat(length), seconds),
    sleep: (seconds: number) => (time += seconds * 1000),
    has: async (...keys: string[]) => {
      const texts = await Promise.all(keys.map((key) => store.get(key)));
      return texts.map((text) => text != null);
    },
  };
}

describe('responses in memory', () => {
  it('are forgotten when their time is over', async () => {
    const { put, sleep, has } = open();
    await put('a:1');
    sleep(59);
    expect(await has('a:1')).toEqual([true]);
    sleep(1);
    expect(await has('a:1')).toEqual([false]);
  });

  it('are there while they are replaced', async () => {
    const { put, has } = open();
    await put('a:1');
    const replaced = put('a:1');
    expect(await has('a:1')).toEqual([true]);
    await replaced;
  });

  it('are bounded in number: the caller who has most loses the oldest', async () => {
    const { put, has } = open({ maxCount: 4 });
    for (const key of ['b:1', 'a:1', 'a:2', 'a:3', 'a:4', 'a:5']) await put(key);
    expect(await has('b:1', 'a:1', 'a:2', 'a:3', 'a:4', 'a:5')).toEqual([
      true,
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('are bounded in bytes, as UTF-8', async () => {
    const { store, put, has } = open({ maxBytes: 10_000 });
    await put('b:1', 3000);
    await put('a:1', 4000);
    await store.set('a:2', 'é'.repeat(2000), 60);
    expect(await has('b:1', 'a:1', 'a:2')).toEqual([true, false, true]);
  });

  it('are lost as a whole, those first that were not used for longest', async () => {
    const { put, has } = open({ maxCount: 2 });
    for (const key of ['a:1.1', 'a:1', 'a:2.1', 'a:2']) await put(key);
    await has('a:1');
    await put('a:3');
    expect(await has('a:1.1', 'a:1', 'a:2.1', 'a:2', 'a:3')).toEqual([true, true, false, false, true]);
  });

  it('take more than their characters', async () => {
    const { put, has } = open({ maxBytes: 10_000 });
    for (let number = 0; number < 100; number++) await put(`a:${number}`, 1);
    expect(await has('a:0', 'a:99')).toEqual([false, true]);
  });

  it('count once where they are set again, and no more where they are removed or over', async () => {
    const { store, put, sleep, has } = open({ maxBytes: 10_000 });
    await put('a:1', 6000);
    await put('a:1', 6000);
    await store.delete('a:1');
    await store.delete('a:1');
    await put('a:2', 6000, 10);
    sleep(10);
    await put('b:1', 9000);
    expect(await has('a:1', 'a:2', 'b:1')).toEqual([false, false, true]);
  });
});
