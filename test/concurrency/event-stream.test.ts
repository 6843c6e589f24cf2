import { describe, expect, it, vi } from 'vitest';
import { EventStream } from '../../src/concurrency/event-stream.ts';

function createStream() {
  const source = { onStart: vi.fn<() => void>(), onReturn: vi.fn<() => void>() };
  return { source, stream: new EventStream<number>(source) };
}

describe('EventStream', () => {
  it('starts once, with the first pull', async () => {
    const { source, stream } = createStream();
    expect(source.onStart).not.toHaveBeenCalled();
    const pulls = [stream.next(), stream.next()];
    stream.push([1, 2, 3]);
    expect(await Promise.all(pulls)).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
    ]);
    expect(source.onStart).toHaveBeenCalledOnce();
  });

  it('gives buffered events before the error, and the error once', async () => {
    const { stream } = createStream();
    const first = stream.next();
    stream.push([1, 2]);
    stream.end(new Error('lost'));
    stream.push([3]);
    expect((await first).value).toBe(1);
    expect((await stream.next()).value).toBe(2);
    await expect(stream.next()).rejects.toThrow('lost');
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it('drops buffered events when it fails at once', async () => {
    const { stream } = createStream();
    const first = stream.next();
    stream.push([1, 2]);
    stream.fail(new Error('too late'));
    await first;
    await expect(stream.next()).rejects.toThrow('too late');
  });

  it('settles every waiting pull when the consumer leaves', async () => {
    const { source, stream } = createStream();
    const pulls = [stream.next(), stream.next()];
    await stream.return();
    expect(await Promise.all(pulls)).toMatchObject([{ done: true }, { done: true }]);
    await stream.return();
    expect(source.onReturn).toHaveBeenCalledOnce();
  });

  it('tells nobody when the consumer leaves before the start or after the end', async () => {
    const unused = createStream();
    await unused.stream.return();
    expect((await unused.stream.next()).done).toBe(true);
    expect(unused.source.onStart).not.toHaveBeenCalled();
    expect(unused.source.onReturn).not.toHaveBeenCalled();
    const ended = createStream();
    void ended.stream.next();
    ended.stream.end();
    await ended.stream.return();
    expect(ended.source.onReturn).not.toHaveBeenCalled();
  });
});
