import { describe, expect, it, vi } from 'vitest';
import { EventStream, streamOf } from '../../src/concurrency/event-stream.ts';

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

describe('streamOf', () => {
  it('begins with the first read, and ends or fails as the work does', async () => {
    const work = vi.fn<Parameters<typeof streamOf<number>>[0]>(async (add) => {
      add(1);
      await Promise.resolve();
      add(2);
      throw new Error('broken');
    });
    const stream = streamOf(work);
    expect(work).not.toHaveBeenCalled();
    expect(await stream.next()).toEqual({ value: 1, done: false });
    expect(await stream.next()).toEqual({ value: 2, done: false });
    await expect(stream.next()).rejects.toThrow('broken');
    const whole = streamOf<number>(async (add) => add(1));
    expect(await whole.next()).toEqual({ value: 1, done: false });
    expect(await whole.next()).toEqual({ value: undefined, done: true });
  });

  it('aborts the work when its reader returns, or its signal is aborted', async () => {
    const signals: AbortSignal[] = [];
    const endless = (signal?: AbortSignal) =>
      streamOf<number>((add, own) => {
        signals.push(own);
        add(1);
        return new Promise(() => {});
      }, signal);
    for await (const _ of endless()) break;
    const controller = new AbortController();
    await endless(controller.signal).next();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    controller.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
