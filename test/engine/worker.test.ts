import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { categories } from '../../dist/src/categories/registry.js';
import { childReplicas } from '../../dist/src/engine/child-replica.js';
import type { ModelOptions } from '../../dist/src/contracts/model.js';
import type { CallOptions } from '../../dist/src/contracts/run.js';
import type { ChatSettings } from '../../src/categories/chat/settings.ts';
import { parseProcessorList } from '../../dist/src/engine/serve-worker.js';
import { beatIntervalMs } from '../../dist/src/engine/heartbeat.js';
import { createEngine, type Engine } from '../../dist/src/engine/create-engine.js';
import type { Command } from './fixtures/toy-pipeline.js';
import { eventually, isRunning } from './processes.ts';
import { errorCode, textOf, texts, toy } from './toy-requests.ts';
import { missingProgram, needs, otherSystem } from '../needs.ts';
import { isThorough } from '../thorough.ts';

const engines: Engine[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(engines.splice(0).map((engine) => engine.close({ graceMs: 0 })));
});

function start(
  models: Record<string, Partial<ModelOptions<ChatSettings>>>,
  cancelGraceMs = 5000,
  warmUp?: Command,
) {
  const engine = createEngine({
    models: Object.fromEntries(
      Object.entries(models).map(([id, options]) => [
        id,
        { category: 'chat', source: 'toy', cancelGraceMs, ...options },
      ]),
    ),
    startReplica: childReplicas({
      worker: new URL('./fixtures/toy-worker.js', import.meta.url),
      restart: { minDelayMs: 20 },
      ...(warmUp && { warmUpFor: () => toy(warmUp) }),
    }),
    categories,
  });
  engines.push(engine);
  const run = (command: Command, options?: CallOptions, model = 'toy') => {
    const events = engine.run('chat', { ...toy(command), model }, options);
    return events[Symbol.asyncIterator]() as AsyncIterableIterator<never, undefined>;
  };
  const workerPid = async (model = 'toy') => Number((await texts(run({ pid: true }, {}, model)))[0]);
  const report = async () =>
    JSON.parse((await texts(run({ report: true })))[0]!) as { steps: number; open: number };
  return { engine, run, workerPid, report };
}

/** Until a worker that has loaded beats, too. */
const beats = () => delay(4 * beatIntervalMs);

function processorsOf(process: string): number[] {
  const status = `/proc/${process}/status`;
  if (!existsSync(status)) return [];
  return parseProcessorList(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync(status, 'utf8'))![1]!);
}

describe('a worker process', () => {
  it('answers, in order, and tells what it has loaded', async () => {
    const { engine, run } = start({ toy: { contextLength: 512 } });
    expect(engine.models()[0]).toMatchObject({ id: 'toy', contextLength: 512, ownedBy: 'unknown' });
    expect(engine.status()[0]!.state).toBe('loading');
    expect(await texts(run({ steps: 300 }))).toEqual(
      Array.from({ length: 300 }, (_, index) => String(index + 1)),
    );
    await engine.ready();
    expect(engine.models()[0]).toMatchObject({ contextLength: 2048, ownedBy: 'tests' });
    expect(engine.status()).toEqual([{ id: 'toy', state: 'ready', running: 0, waiting: 0 }]);
  });

  it('takes large requests and gives large answers in parts, which small ones of other owners pass', async () => {
    const { engine, run } = start({ toy: {} });
    await engine.ready();
    const echo = 'large'.repeat(800_000);
    const ends: string[] = [];
    const all = Array.from({ length: 6 }, async () => {
      expect((await texts(run({ echo }, { owner: 'a' })))[0] === echo).toBe(true);
      ends.push('a');
    });
    expect(await texts(run({ echo: 'small' }, { owner: 'b' }))).toEqual(['small']);
    expect(ends).toEqual([]);
    await Promise.all(all);
  });

  it('frees the place of a large request that is cancelled before all of it was sent', async () => {
    const { engine, run } = start({ toy: { maxBatchSize: 1 } });
    await engine.ready();
    const controller = new AbortController();
    const cancelled = errorCode(run({ echo: 'large'.repeat(2_000_000) }, { signal: controller.signal }));
    expect(engine.status()[0]!.running).toBe(1);
    controller.abort();
    expect(await cancelled).toBe('cancelled');
    expect(await texts(run({ echo: 'next' }))).toEqual(['next']);
    expect(engine.status()[0]).toMatchObject({ running: 0, waiting: 0 });
  });

  it('leaves the processor to the host', async () => {
    const { workerPid } = start({ toy: {} });
    expect(getPriority(await workerPid())).toBe(Math.max(10, getPriority()));
  });

  const own = processorsOf('self');
  const oneProcessor = own.length > 1 ? undefined : 'there is one processor, or the system does not say';

  it('leaves the host a processor of its own', needs(oneProcessor ?? missingProgram('taskset')), async () => {
    const { workerPid } = start({
      'with its own threads': {},
      'with one': { threads: 1 },
      'with all': { threads: own.length },
    });
    for (const [model, expected] of [
      ['with its own threads', own.slice(1)],
      ['with one', own.toSpliced(1, 1)],
      ['with all', own],
    ] as const) {
      const pid = await workerPid(model);
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        expect(processorsOf(`${pid}/task/${thread}`), model).toEqual(expected);
      }
    }
  });

  it('passes errors on and keeps the secrets of unknown ones', async () => {
    const { run } = start({ toy: {} });
    await expect(texts(run({ fail: 'known' }))).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: 'too long',
      param: 'messages',
    });
    await expect(texts(run({ fail: 'unknown' }))).rejects.toMatchObject({
      code: 'internal',
      message: 'Internal error.',
    });
  });

  it('an event or a request that cannot be cloned costs that request only', async () => {
    const { engine, run, report } = start({ toy: {} });
    const other = texts(run({ steps: 50 }));
    expect(await errorCode(run({ uncloneable: true, steps: 1e9 }))).toBe('internal');
    const request = { ...toy({ steps: 1 }), metadata: () => undefined };
    expect(await errorCode(engine.run('chat', request) as AsyncIterable<never>)).toBe('invalid_request');
    expect(await other).toHaveLength(50);
    expect((await report()).open).toBe(1);
  });

  it('does not end by the signals that a terminal sends to everybody', async () => {
    const { workerPid } = start({ toy: {} });
    const pid = await workerPid();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    expect(await workerPid()).toBe(pid);
  });

  it('refuses unknown models and models of another category', async () => {
    const { engine, run } = start({ toy: {} });
    expect(await errorCode(run({}, {}, 'toString'))).toBe('model_not_found');
    expect(await errorCode(engine.run('detection', toy({})) as AsyncIterable<never>)).toBe('invalid_request');
  });
});

describe('200 requests at once', () => {
  it('are answered or refused', async () => {
    const { engine, run } = start({ toy: { maxQueue: 16, maxBatchSize: 4 } });
    await engine.ready();
    const codes = await Promise.all(Array.from({ length: 200 }, () => errorCode(run({ steps: 5 }))));
    expect(codes.filter((code) => code === 'none')).toHaveLength(20);
    expect(codes.filter((code) => code === 'overloaded')).toHaveLength(180);
  });

  it('are spread over replicas', async () => {
    const { engine, run } = start({ toy: { replicas: 2, maxBatchSize: 1 } });
    await engine.ready();
    const pids = await Promise.all([0, 1].map(async () => (await texts(run({ pid: true, steps: 20 })))[0]));
    expect(new Set(pids).size).toBe(2);
  });
});

describe('cancellation', () => {
  it('by a signal stops the generation within two steps', async () => {
    const { run, report } = start({ toy: {} });
    const controller = new AbortController();
    const events = run({ steps: 1000, gated: true }, { signal: controller.signal });
    const first = events.next();
    await texts(run({ permits: 3 }));
    expect(textOf((await first).value)).toBe('1');
    expect(textOf((await events.next()).value)).toBe('2');
    expect(textOf((await events.next()).value)).toBe('3');
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ code: 'cancelled' });
    await texts(run({ permits: 100 }));
    await eventually(async () => expect((await report()).open).toBe(1));
    expect((await report()).steps).toBeLessThanOrEqual(5);
  });

  it('by leaving the iterator stops it too', async () => {
    const { run, report } = start({ toy: {} });
    for await (const event of run({ steps: 1e9 })) if (textOf(event) === '10') break;
    await eventually(async () => expect((await report()).open).toBe(1));
    const { steps } = await report();
    expect((await report()).steps).toBe(steps);
  });

  const requests = isThorough ? 3000 : 600;
  it(`of ${requests} requests, every third of them, leaves nothing over`, async () => {
    const { engine, run, report } = start({ toy: { maxQueue: requests } });
    const outcomes = await Promise.all(
      Array.from({ length: requests }, async (_, index) => {
        const controller = new AbortController();
        const code = errorCode(run({ steps: 2 }, { signal: controller.signal }));
        if (index % 3 === 0) controller.abort();
        return code;
      }),
    );
    expect(outcomes.filter((code) => code === 'cancelled')).toHaveLength(requests / 3);
    expect(outcomes.filter((code) => code === 'none')).toHaveLength((2 * requests) / 3);
    await eventually(() => expect(engine.status()[0]).toMatchObject({ running: 0, waiting: 0 }));
    expect((await report()).open).toBe(1);
  });

  it('that is confirmed leaves no timer', async () => {
    const { engine, run, report } = start({ toy: {} });
    await engine.ready();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const events = run({ steps: 1, gated: true });
    const first = events.next();
    expect(vi.getTimerCount()).toBe(1);
    await events.return!();
    expect((await first).done).toBe(true);
    while ((await report()).open > 1);
    expect(engine.status()[0]!.running).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that is ignored keeps the place until the worker is killed, and costs the others in it', async () => {
    const { engine, run, workerPid } = start({ toy: {} }, 300);
    const pid = await workerPid();
    const controller = new AbortController();
    const other = run({ steps: 1, gated: true });
    const lost = expect(other.next()).rejects.toMatchObject({ code: 'worker_failed' });
    const ignoring = errorCode(
      run({ steps: 5, gated: true, ignoreCancel: true }, { signal: controller.signal }),
    );
    await eventually(() => expect(engine.status()[0]!.running).toBe(2));
    controller.abort();
    expect(await ignoring).toBe('cancelled');
    expect(engine.status()[0]!.running).toBe(2);
    await lost;
    await eventually(() => expect(isRunning(pid)).toBe(false));
    expect(await eventually(() => workerPid())).not.toBe(pid);
  });

  it.each<[string, Command]>([
    ['a long step', { blockMs: 1800, steps: 1 }],
    ['a long step of other threads', { computeMs: 1800, steps: 1 }],
  ])('waits for a worker that %s keeps busy', async (_, command) => {
    const { run, workerPid } = start({ toy: {} }, 1000);
    const pid = await workerPid();
    await beats();
    const controller = new AbortController();
    const events = run(command, { signal: controller.signal });
    expect(await events.next()).toMatchObject({ value: { text: '1' } });
    const other = texts(run({ steps: 3 }));
    controller.abort();
    expect(await errorCode(events)).toBe('cancelled');
    expect(await other).toEqual(['1', '2', '3']);
    expect(await workerPid()).toBe(pid);
  });

  it.each([
    ['', 100] as const,
    // Without a heartbeat it would have twice the grace; only Linux tells that it is stopped.
    ...(process.platform === 'linux' ? ([[', long before twice the grace', 300_000]] as const) : []),
  ])(
    'of nobody replaces a worker that is stopped%s',
    needs(otherSystem('linux', 'darwin')),
    async (_, graceMs) => {
      const { engine, run, workerPid } = start({ toy: {} }, graceMs);
      const pid = await workerPid();
      await beats();
      const events = run({ steps: 1e9 });
      await events.next();
      const failure = errorCode(events);
      process.kill(pid, 'SIGSTOP');
      expect(await failure).toBe('worker_failed');
      expect(engine.status()[0]!.state).toBe('loading');
      expect(await eventually(() => workerPid())).not.toBe(pid);
      expect(isRunning(pid)).toBe(false);
    },
  );

  it('by a deadline replaces a worker that hangs', async () => {
    const { run, workerPid } = start({ toy: {} }, 50);
    const pid = await workerPid();
    expect(await errorCode(run({ blockForever: true }, { deadlineMs: 1000 }))).toBe('deadline_exceeded');
    expect(await eventually(() => workerPid())).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
  });
});

describe('a crash', () => {
  it('costs the requests in that worker and nothing else', async () => {
    const { engine, run, workerPid } = start({ toy: {}, other: {} });
    await engine.ready();
    const pid = await workerPid();
    const stream = run({ steps: 1e9 });
    const otherModel = run({ steps: 1e9 }, {}, 'other');
    await Promise.all([stream.next(), otherModel.next()]);
    process.kill(pid, 'SIGKILL');
    expect(await errorCode(stream)).toBe('worker_failed');
    expect((await otherModel.next()).done).toBe(false);
    expect(await texts(run({ steps: 2 }))).toEqual(['1', '2']);
    await otherModel.return!();
  });

  it.skipIf(process.platform === 'win32')(
    'costs no request that the worker has never begun: its successor takes it',
    async () => {
      const { engine, run, workerPid } = start({ toy: {} });
      await engine.ready();
      const pid = await workerPid();
      // A worker that is stopped reads nothing.
      process.kill(pid, 'SIGSTOP');
      const codes = Array.from({ length: 3 }, () => errorCode(run({ steps: 2 })));
      await vi.waitFor(() => expect(engine.status()[0]!.running).toBe(3));
      process.kill(pid, 'SIGKILL');
      expect(await Promise.all(codes)).toEqual(['none', 'none', 'none']);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'takes a request to a successor once, within its deadline',
    async () => {
      const { engine, run, workerPid } = start({ toy: {} });
      await engine.ready();
      const stopped = async (): Promise<number> => {
        const pid = await eventually(() => workerPid());
        process.kill(pid, 'SIGSTOP');
        return pid;
      };
      const first = await stopped();
      const late = errorCode(run({ steps: 1 }, { deadlineMs: 1 }));
      await late;
      const dies = errorCode(run({ exit: true, steps: 1 }));
      await vi.waitFor(() => expect(engine.status()[0]!.running).toBe(2));
      process.kill(first, 'SIGKILL');
      // Its successor begins with it and ends.
      expect([await late, await dies]).toEqual(['deadline_exceeded', 'worker_failed']);
      expect(await eventually(() => workerPid())).not.toBe(first);
    },
  );

  it('lets waiting requests run on the fresh worker', async () => {
    const { engine, run } = start({ toy: { maxBatchSize: 1 } });
    await engine.ready();
    const codes = [
      errorCode(run({ exit: true })),
      errorCode(run({ steps: 1 })),
      errorCode(run({ steps: 1 })),
    ];
    expect(await Promise.all(codes)).toEqual(['worker_failed', 'none', 'none']);
  });
});

describe('a model that cannot be loaded', () => {
  it.each([
    ['fails', 'secret path'],
    ['fails-clearly', 'no config.json there'],
    ['exits', 'its worker was lost 3 times while loading (exit code 7)'],
  ])('says so, and the operator why: %s', async (source, reason) => {
    const { engine, run } = start({ toy: { source } });
    const shown = { code: 'worker_failed', message: 'Model "toy" could not be loaded.' };
    const waiting = expect(texts(run({}))).rejects.toMatchObject(shown);
    await expect(engine.ready()).rejects.toMatchObject({
      code: 'worker_failed',
      message: `Model "toy" could not be loaded: ${reason}.`,
      cause: expect.objectContaining({ message: reason }) as unknown,
    });
    await waiting;
    await expect(texts(run({}))).rejects.toMatchObject(shown);
    expect(engine.status()[0]!.state).toBe('failed');
  });

  it('because its spec is not plain data', async () => {
    const { engine } = start({ toy: { name: Symbol('toy') as never } });
    await expect(engine.ready()).rejects.toMatchObject({ code: 'worker_failed' });
  });
});

describe('close', () => {
  it('lets a running request end and leaves no process', async () => {
    const { engine, run, workerPid } = start({ toy: {} });
    const pid = await workerPid();
    const running = texts(run({ steps: 20 }));
    const closed = engine.close();
    expect(await errorCode(run({ steps: 1 }))).toBe('overloaded');
    expect(await running).toHaveLength(20);
    await closed;
    expect(isRunning(pid)).toBe(false);
    await engine.close();
  });

  it.each([
    ['a request that never ends', { steps: 1e9 }],
    ['a request that ignores its cancellation', { steps: 2, gated: true, ignoreCancel: true }],
    ['a worker that hangs', { blockForever: true }],
  ])('ends %s', async (_name, command) => {
    const { engine, run, workerPid } = start({ toy: {} }, 300);
    const pid = await workerPid();
    const running = errorCode(run(command));
    await eventually(() => expect(engine.status()[0]!.running).toBe(1));
    await engine.close({ graceMs: 20 });
    expect(await running).toBe('overloaded');
    expect(isRunning(pid)).toBe(false);
  });

  it('ends a worker whose model does not close', async () => {
    const { engine, workerPid } = start({ toy: { source: 'close-hangs' } }, 100);
    const pid = await workerPid();
    await engine.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('ends a worker that is still loading', async () => {
    const { engine, run } = start({ toy: { source: 'hangs' } });
    const ready = expect(engine.ready()).rejects.toMatchObject({ code: 'overloaded' });
    const waiting = errorCode(run({}));
    await engine.close();
    expect(await waiting).toBe('overloaded');
    await ready;
  });
});

const startHost = (steps: number) =>
  fork(new URL('./fixtures/toy-host.js', import.meta.url), [String(steps)], { silent: true });

describe('without its host', () => {
  it('a busy worker exits', async () => {
    const host = startHost(1e9);
    const [pid] = (await once(host, 'message')) as [string];
    await once(host, 'message');
    expect(isRunning(Number(pid))).toBe(true);
    host.kill('SIGKILL');
    await eventually(() => expect(isRunning(Number(pid))).toBe(false));
  });

  it('what a worker prints is not on the standard output of its host', async () => {
    const host = startHost(3);
    const [output, errors] = await Promise.all([text(host.stdout!), text(host.stderr!)]);
    expect(output).toBe('');
    expect(errors).toBe('printed by the worker\n');
  });

  it('an idle worker keeps no script alive that forgot to close', async () => {
    const host = startHost(3);
    const exited = once(host, 'exit');
    const [pid] = (await once(host, 'message')) as [string];
    expect(await exited).toEqual([0, null]);
    await eventually(() => expect(isRunning(Number(pid))).toBe(false));
  });
});

describe('a warm-up', () => {
  it('is answered before the model is ready', async () => {
    const { engine, report } = start({ toy: {} }, 5000, { steps: 3 });
    await engine.ready();
    expect(engine.status()).toEqual([{ id: 'toy', state: 'ready', running: 0, waiting: 0 }]);
    expect(await report()).toMatchObject({ steps: 3 });
  });

  it.each([{ loadOnDemand: true }, { warmUp: false }])('is left out with %o', async (settings) => {
    const { report } = start({ toy: settings }, 5000, { steps: 3 });
    expect(await report()).toMatchObject({ steps: 0 });
  });

  it('is cancelled after a second', async () => {
    const { engine, report } = start({ toy: {} }, 5000, { steps: 1, gated: true });
    const whileLoading = { state: 'loading', running: 0 };
    const isReady = engine.ready().then(() => (whileLoading.state = 'ready'));
    while (whileLoading.state === 'loading') {
      expect(engine.status()[0]).toMatchObject(whileLoading);
      await Promise.race([isReady, delay(50)]);
    }
    expect(await report()).toMatchObject({ steps: 0 });
  });

  it.each([{ fail: 'known' }, { fail: 'unknown' }, { exit: true }] as const)(
    'may fail with %o',
    async (command) => {
      const { engine, run } = start({ toy: {} }, 5000, command);
      await engine.ready();
      expect(await texts(run({ steps: 2 }))).toEqual(['1', '2']);
    },
  );

  it('may lose its worker, which is replaced although nothing else keeps the host alive', async () => {
    const file = new URL('./fixtures/lost-warm-up.js', import.meta.url);
    const host = fork(file, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    expect(await text(host.stdout!)).toBe('ready\n');
  });

  it('ends with its model', async () => {
    const { engine } = start({ toy: {} }, 5000, { steps: 1, gated: true, ignoreCancel: true });
    const ready = expect(engine.ready()).rejects.toMatchObject({ code: 'overloaded' });
    await delay(500);
    await engine.close({ graceMs: 0 });
    await ready;
  });
});
