import { getEventListeners, setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallOptions } from '../../src/contracts/run.ts';
import { resolveLimits } from '../../src/engine/limits.ts';
import { ModelQueue } from '../../src/engine/model-queue.ts';
import { InferenceError } from '../../src/errors.ts';
import type { StartReplica } from '../../src/engine/replica.ts';
import { FakeReplica } from './fake-replica.ts';
import { chatCategory } from '../../src/categories/chat/category.ts';
import type { CategoryDefinition } from '../../src/contracts/category.ts';
import { toy } from './toy-requests.ts';

const chat = chatCategory as unknown as CategoryDefinition;
const spec = { id: 'toy', category: 'chat', source: 'toy', contextLength: 512 } as const;

function createQueue(
  limits: { replicas?: number; maxQueue?: number; deadlineMs?: number } = {},
  category: Partial<CategoryDefinition> = {},
) {
  const replicas: FakeReplica[] = [];
  const startReplica: StartReplica = (_spec, { onChange }) => {
    const replica = new FakeReplica();
    replica.onChange = onChange;
    replicas.push(replica);
    return replica;
  };
  const queue = new ModelQueue(spec, resolveLimits(limits), { startReplica });
  const submit = (options: CallOptions = {}) => {
    const stream = queue.submit(toy({}), options, { ...chat, ...category });
    const outcome = stream.next().then(
      ({ done }) => (done ? 'done' : 'event'),
      (error: InferenceError) => error.code,
    );
    return { stream, outcome };
  };
  return { queue, replicas, replica: replicas[0]!, submit };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('admission', () => {
  it('runs as many as the replica takes, lets maxQueue wait and refuses one more', async () => {
    const { queue, replica, submit } = createQueue({ maxQueue: 2 });
    const accepted = [submit(), submit(), submit()];
    const refused = queue.submit(toy({}), {}, chat);
    await expect(refused.next()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    expect(queue.status).toEqual({ id: 'toy', state: 'ready', running: 1, waiting: 2 });
    for (const { outcome } of accepted) {
      replica.finish();
      expect(await outcome).toBe('done');
    }
    expect(queue.status).toMatchObject({ running: 0, waiting: 0 });
  });

  it('keeps a place for each owner who has none waiting, up to as many again', async () => {
    const { queue, replica, submit } = createQueue({ maxQueue: 2 });
    const asked = ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'd'].map((owner) => submit({ owner }));
    expect(queue.status).toMatchObject({ running: 1, waiting: 4 });
    while (queue.status.running > 0) replica.finish();
    const refused = 'overloaded';
    expect(await Promise.all(asked.map(({ outcome }) => outcome))).toEqual([
      'done',
      'done',
      'done',
      refused,
      'done',
      refused,
      'done',
      refused,
    ]);
  });

  it('owners take turns, each with its requests in the order of arrival', async () => {
    const { replica, queue, submit } = createQueue();
    const started: string[] = [];
    const ask = (name: string) => submit({ owner: name[0]!, onDispatch: () => started.push(name) });
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(ask);
    while (queue.status.running > 0) replica.finish();
    await Promise.all(asked.map(({ outcome }) => outcome));
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('an owner of costly requests gets fewer of them', async () => {
    const costs = new Map<unknown, number>();
    const { replica, queue, submit } = createQueue({}, { estimateCost: () => costs.get('next')! });
    const started: string[] = [];
    const ask = (name: string, cost: number) => {
      costs.set('next', cost);
      return submit({ owner: name[0]!, onDispatch: () => started.push(name) });
    };
    const asked = [
      ask('a1', 4),
      ask('a2', 4),
      ask('a3', 4),
      ...['b1', 'b2', 'b3', 'b4', 'b5'].map((b) => ask(b, 1)),
    ];
    while (queue.status.running > 0) replica.finish();
    await Promise.all(asked.map(({ outcome }) => outcome));
    expect(started).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'a2', 'b5', 'a3']);
  });

  it('a request of an owner who runs nothing takes a reserved place at once', async () => {
    const { replica, queue, submit } = createQueue();
    Object.assign(replica, { concurrency: 2, reserve: 1 });
    const started: string[] = [];
    const ask = (name: string) => submit({ owner: name[0]!, onDispatch: () => started.push(name) });
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(ask);
    expect(started).toEqual(['a1', 'a2', 'b1']);
    expect(queue.status).toMatchObject({ running: 3, waiting: 3 });
    replica.finish(2);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
    while (queue.status.running > 0) replica.finish();
    await Promise.all(asked.map(({ outcome }) => outcome));
    expect(started).toHaveLength(6);
  });

  it('serves in the order of arrival', async () => {
    const { replica, submit } = createQueue();
    const order: number[] = [];
    const outcomes = [0, 1, 2, 3].map(async (index) => {
      await submit().outcome;
      order.push(index);
    });
    for (const outcome of outcomes) {
      replica.finish();
      await outcome;
    }
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('gives each request to the least busy replica', async () => {
    const { replicas, submit } = createQueue({ replicas: 2 });
    for (const replica of replicas) replica.concurrency = 3;
    submit();
    submit();
    submit();
    expect(replicas.map((replica) => replica.running)).toEqual([2, 1]);
    submit();
    expect(replicas.map((replica) => replica.running)).toEqual([2, 2]);
    for (const replica of replicas) while (replica.running > 0) replica.finish();
  });

  it('admits nothing before the first event is asked for', () => {
    const { queue } = createQueue();
    queue.submit(toy({}), {}, chat);
    expect(queue.status).toMatchObject({ running: 0, waiting: 0 });
  });

  it('with maxQueue 0 runs what has a place and refuses the rest', async () => {
    const { replica, submit } = createQueue({ maxQueue: 0 });
    const first = submit();
    expect(await submit().outcome).toBe('overloaded');
    replica.finish();
    expect(await first.outcome).toBe('done');
  });

  it('estimates Retry-After from how long requests took', async () => {
    const { queue, replica, submit } = createQueue({ maxQueue: 1 });
    submit();
    await vi.advanceTimersByTimeAsync(8000);
    replica.finish();
    submit();
    submit();
    await expect(queue.submit(toy({}), {}, chat).next()).rejects.toMatchObject({ retryAfterSeconds: 16 });
    replica.finish();
    replica.finish();
  });

  it.each([-1, Number.NaN, Infinity, 2 ** 31])('rejects a deadline of %s', async (deadlineMs) => {
    const { submit } = createQueue();
    expect(await submit({ deadlineMs }).outcome).toBe('invalid_request');
  });
});

describe('a model that is not ready', () => {
  it('lets requests wait for the first load', async () => {
    const { replica, submit } = createQueue();
    replica.state = 'loading';
    const { outcome } = submit();
    expect(replica.running).toBe(0);
    replica.become('ready');
    expect(replica.running).toBe(1);
    replica.finish();
    expect(await outcome).toBe('done');
  });

  it('lets requests wait while a worker is restarted, up to maxQueue and to their deadline', async () => {
    const { queue, replica, submit } = createQueue({ maxQueue: 2 });
    const running = submit();
    replica.restartsInMs = 4200;
    replica.become('restarting');
    replica.finish(0, new InferenceError('worker_failed', 'lost'));
    expect(await running.outcome).toBe('worker_failed');
    const waiting = submit();
    const hurried = submit({ deadlineMs: 4200 });
    await expect(queue.submit(toy({}), {}, chat).next()).rejects.toMatchObject({
      code: 'overloaded',
      message: 'Model "toy" is busy and its queue is full.',
      retryAfterSeconds: 5,
    });
    await vi.advanceTimersByTimeAsync(4200);
    expect(await hurried.outcome).toBe('deadline_exceeded');
    replica.become('ready');
    replica.finish();
    expect(await waiting.outcome).toBe('done');
  });

  it('refuses at once a request whose deadline ends before the worker can be back', async () => {
    const { queue, replica } = createQueue();
    replica.restartsInMs = 4200;
    replica.become('restarting');
    await expect(queue.submit(toy({}), { deadlineMs: 4199 }, chat).next()).rejects.toMatchObject({
      code: 'overloaded',
      message: 'The worker of model "toy" is being restarted.',
      retryAfterSeconds: 5,
    });
  });

  it('lets nothing wait for a worker that is lost again and again', async () => {
    const { queue, replica, submit } = createQueue();
    replica.restartsInMs = 4200;
    replica.become('restarting');
    const waiting = submit();
    replica.isLooping = true;
    replica.become('restarting');
    expect(await waiting.outcome).toBe('overloaded');
    await expect(queue.submit(toy({}), {}, chat).next()).rejects.toMatchObject({
      code: 'overloaded',
      message: 'The worker of model "toy" is being restarted.',
      retryAfterSeconds: 5,
    });
    replica.become('ready');
    const { outcome } = submit();
    replica.finish();
    expect(await outcome).toBe('done');
  });

  it('waits where another replica is not in a loop', async () => {
    const { replicas, submit } = createQueue({ replicas: 2 });
    replicas[0]!.isLooping = true;
    for (const replica of replicas) replica.become('restarting');
    const { outcome } = submit();
    replicas[1]!.become('ready');
    replicas[1]!.finish();
    expect(await outcome).toBe('done');
  });

  it('goes on with the replicas that are left', async () => {
    const { queue, replicas, submit } = createQueue({ replicas: 2 });
    replicas[0]!.become('failed', new InferenceError('worker_failed', 'no memory'));
    replicas[1]!.become('restarting');
    expect(queue.status.state).toBe('loading');
    replicas[1]!.become('ready');
    const { outcome } = submit();
    replicas[1]!.finish();
    expect(await outcome).toBe('done');
  });

  it('fails all requests with the load error when it can never be', async () => {
    const { queue, replica, submit } = createQueue();
    replica.state = 'loading';
    const stream = queue.submit(toy({}), {}, chat);
    const waiting = expect(stream.next()).rejects.toMatchObject({
      code: 'worker_failed',
      message: 'Model "toy" could not be loaded.',
      cause: { message: 'no file' },
    });
    replica.become('failed', new InferenceError('worker_failed', 'no file'));
    await waiting;
    expect(await submit().outcome).toBe('worker_failed');
    expect(queue.status.state).toBe('failed');
  });

  it('is described by its configuration', () => {
    expect(createQueue().queue.info).toEqual({
      id: 'toy',
      name: 'toy',
      category: 'chat',
      contextLength: 512,
      created: 0,
      ownedBy: 'unknown',
    });
  });
});

describe('giving up', () => {
  it('ends a waiting request at its deadline and leaves the queue', async () => {
    const { queue, replica, submit } = createQueue();
    submit();
    const { outcome } = submit({ deadlineMs: 1000 });
    await vi.advanceTimersByTimeAsync(999);
    expect(queue.status.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe('deadline_exceeded');
    expect(queue.status.waiting).toBe(0);
    replica.finish();
  });

  it('cannot be lengthened beyond the limit of the model', async () => {
    const { submit } = createQueue({ deadlineMs: 1000 });
    const { outcome } = submit({ deadlineMs: 5000 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await outcome).toBe('deadline_exceeded');
  });

  it('of the model counts from the last progress, of the caller from the start', async () => {
    const isProgress = ({ type }: { readonly type: string }) => type === 'progress';
    const { replica, submit } = createQueue({ deadlineMs: 1000 }, { isProgress });
    replica.concurrency = 2;
    const { stream, outcome } = submit();
    const hurried = submit({ deadlineMs: 1500 });
    const progress = () => {
      for (const { observer } of replica.runs) observer.onEvents([{ type: 'progress' }, { type: 'other' }]);
    };
    await vi.advanceTimersByTimeAsync(900);
    progress();
    expect(await outcome).toBe('event');
    expect(await hurried.outcome).toBe('event');
    await vi.advanceTimersByTimeAsync(600);
    expect(replica.runs.map(({ cancelled }) => cancelled)).toEqual([false, true]);
    progress();
    await vi.advanceTimersByTimeAsync(999);
    expect(replica.runs[0]!.cancelled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(stream.next()).rejects.toMatchObject({
      code: 'deadline_exceeded',
      message: 'The request made no progress within 1000 ms.',
    });
  });

  it('is not renewed by other events', async () => {
    const { replica, submit } = createQueue({ deadlineMs: 1000 });
    submit();
    await vi.advanceTimersByTimeAsync(900);
    replica.runs[0]!.observer.onEvents([{ type: 'progress' }]);
    await vi.advanceTimersByTimeAsync(100);
    expect(replica.runs[0]!.cancelled).toBe(true);
  });

  it('counts waiting and running together', async () => {
    const { replica, submit } = createQueue({ deadlineMs: 5000 });
    const first = submit();
    const second = submit({ deadlineMs: 1000 });
    await vi.advanceTimersByTimeAsync(600);
    replica.finish();
    expect(await first.outcome).toBe('done');
    await vi.advanceTimersByTimeAsync(400);
    expect(await second.outcome).toBe('deadline_exceeded');
    expect(replica.runs[0]!.cancelled).toBe(true);
    replica.finish();
  });

  it('tells the caller at once and frees the place when the replica confirms', async () => {
    const { queue, replica, submit } = createQueue();
    const controller = new AbortController();
    const cancelled = submit({ signal: controller.signal });
    const next = submit();
    controller.abort();
    expect(await cancelled.outcome).toBe('cancelled');
    expect(replica.runs[0]!.cancelled).toBe(true);
    expect(queue.status).toMatchObject({ running: 1, waiting: 1 });
    replica.finish();
    expect(queue.status).toMatchObject({ running: 1, waiting: 0 });
    replica.finish();
    expect(await next.outcome).toBe('done');
  });

  it('cancels when the caller leaves the iterator, also while it waits for an event', async () => {
    const { replica, submit } = createQueue();
    const { stream, outcome } = submit();
    await stream.return();
    expect(await outcome).toBe('done');
    expect(replica.runs[0]!.cancelled).toBe(true);
    replica.finish();
  });

  it('never starts a request whose signal is aborted already', async () => {
    const { queue, submit } = createQueue();
    expect(await submit({ signal: AbortSignal.abort() }).outcome).toBe('cancelled');
    expect(queue.status.running).toBe(0);
  });

  it('keeps no listener, timer or place of 2,000 requests', async () => {
    const { queue, replica, submit } = createQueue({ maxQueue: 5000 });
    replica.concurrency = 100;
    const shared = new AbortController();
    setMaxListeners(0, shared.signal);
    const own: AbortController[] = [];
    const outcomes: Promise<string>[] = [];
    for (let index = 0; index < 2000; index++) {
      const controller = new AbortController();
      own.push(controller);
      const { stream, outcome } = submit({ signal: index % 2 === 0 ? shared.signal : controller.signal });
      outcomes.push(outcome);
      if (index % 5 === 1) controller.abort();
      if (index % 5 === 2) await stream.return();
    }
    while (replica.running > 0) replica.finish();
    const codes = await Promise.all(outcomes);
    expect(codes.filter((code) => code === 'cancelled')).toHaveLength(200);
    expect(queue.status).toMatchObject({ running: 0, waiting: 0 });
    for (const { signal } of [shared, ...own]) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('close', () => {
  it('fails who waits, lets who runs finish, then closes the replicas', async () => {
    const { queue, replica, submit } = createQueue();
    const running = submit();
    const waiting = submit();
    const closed = queue.close(10_000);
    expect(queue.close(0)).toBe(closed);
    expect(await waiting.outcome).toBe('overloaded');
    expect(await submit().outcome).toBe('overloaded');
    expect(replica.state).toBe('ready');
    replica.finish();
    expect(await running.outcome).toBe('done');
    await closed;
    expect(queue.status.state).toBe('closed');
  });

  it('cancels what still runs after the grace time', async () => {
    const { queue, replica, submit } = createQueue();
    const running = submit();
    const closed = queue.close(3000);
    const run = replica.runs[0]!;
    await vi.advanceTimersByTimeAsync(3000);
    expect(await running.outcome).toBe('overloaded');
    expect(run.cancelled).toBe(true);
    await closed;
  });
});

describe('a request whose worker is lost before it begins', () => {
  const lost = new InferenceError('worker_failed', 'Lost.');

  it('waits for another one, once', async () => {
    const { queue, replica, submit } = createQueue();
    const { outcome } = submit();
    replica.state = 'restarting';
    replica.finish(0, lost, true);
    expect(queue.status).toMatchObject({ running: 0, waiting: 1 });
    replica.become('ready');
    expect(queue.status).toMatchObject({ running: 1, waiting: 0 });
    replica.finish(0, lost, true);
    expect(await outcome).toBe('worker_failed');
  });

  it('waits for its deadline at most', async () => {
    const { queue, replica, submit } = createQueue();
    const { outcome } = submit({ deadlineMs: 500 });
    replica.state = 'restarting';
    replica.finish(0, lost, true);
    await vi.advanceTimersByTimeAsync(500);
    expect(await outcome).toBe('deadline_exceeded');
    expect(queue.status).toMatchObject({ running: 0, waiting: 0 });
  });

  it.each([
    ['whose worker had begun', false, false, 'worker_failed'],
    ['whose caller has left', true, true, 'cancelled'],
  ])('but none %s', async (_title, isUntouched, leaves, code) => {
    const { queue, replica, submit } = createQueue();
    const caller = new AbortController();
    const { outcome } = submit({ signal: caller.signal });
    if (leaves) caller.abort();
    replica.finish(0, lost, isUntouched);
    expect(await outcome).toBe(code);
    expect(queue.status).toMatchObject({ running: 0, waiting: 0 });
  });
});
