import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { childReplicas } from '../../dist/src/engine/child-replica.js';
import { createEngine, type Engine } from '../../dist/src/engine/create-engine.js';
import { logObserver } from '../../dist/src/observability/log-observer.js';
import { createMetrics } from '../../dist/src/create-metrics.js';
import type { CallOptions } from '../../src/contracts/run.ts';
import { resolveLimits } from '../../src/engine/limits.ts';
import { ModelQueue } from '../../src/engine/model-queue.ts';
import type { InferenceObserver, RunEnd } from '../../src/contracts/observer.ts';
import { chatCategory } from '../../src/categories/chat/category.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { CategoryDefinition } from '../../src/contracts/category.ts';
import { categories } from '../../src/categories/registry.ts';
import type { ReplicaEvent, StartReplica } from '../../src/engine/replica.ts';
import { InferenceError } from '../../src/errors.ts';
import { Observers } from '../../src/observers.ts';
import { FakeReplica } from '../engine/fake-replica.ts';
import type { Command } from '../engine/fixtures/toy-pipeline.js';
import { eventually } from '../engine/processes.ts';
import { errorCode, texts, toy } from '../engine/toy-requests.ts';
import { parseText, valueOf } from './prometheus-text.ts';

const chat = chatCategory as unknown as CategoryDefinition;

describe('a queue', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  function createQueue(limits: { maxQueue?: number; deadlineMs?: number } = {}) {
    const told: string[] = [];
    const ends: RunEnd[] = [];
    const observer: InferenceObserver = {
      onRunStart: () => void told.push('start'),
      onRunDispatch: () => void told.push('dispatch'),
      onRunFirstOutput: () => void told.push('output'),
      onRunEnd(_run, end) {
        told.push('end');
        ends.push(end);
      },
    };
    const replica = new FakeReplica();
    let emit: (event: ReplicaEvent) => void = () => undefined;
    const spec = { id: 'toy', category: 'chat', source: 'toy' } as const;
    const start: StartReplica = (_spec, listener) => {
      replica.onChange = listener.onChange;
      emit = listener.onEvent;
      return replica;
    };
    const observers = new Observers([observer]);
    const queue = new ModelQueue(spec, resolveLimits(limits), { startReplica: start, observers });
    const submit = (options: CallOptions = {}) => {
      const stream = queue.submit(toy({}), options, chat);
      const outcome = stream.next().then(
        () => 'event',
        (error: InferenceError) => error.code,
      );
      return { stream, outcome };
    };
    const play = (...events: ChatEvent[]): void => replica.runs[0]!.observer.onEvents(events);
    return {
      queue,
      replica,
      submit,
      play,
      told,
      ends,
      observers,
      emit: (event: ReplicaEvent) => emit(event),
    };
  }

  const delta = (text: string): ChatEvent => ({ type: 'text-delta', choice: 0, text });

  it('tells how long a run has waited, and when its first token came', async () => {
    const { replica, submit, play, told, ends } = createQueue();
    submit();
    submit();
    await vi.advanceTimersByTimeAsync(400);
    replica.finish();
    await vi.advanceTimersByTimeAsync(100);
    play({ type: 'prompt-end', promptTokens: 3 });
    await vi.advanceTimersByTimeAsync(500);
    play(delta('a'), delta('b'));
    await vi.advanceTimersByTimeAsync(1000);
    replica.finish();
    expect(told).toEqual(['start', 'dispatch', 'start', 'end', 'dispatch', 'output', 'end']);
    expect(ends[0]).toMatchObject({ waitMs: 0, durationMs: 400, firstOutputMs: undefined });
    expect(ends[1]).toEqual({
      waitMs: 400,
      firstOutputMs: 1000,
      durationMs: 2000,
      usage: { inputTokens: 3, outputTokens: 2 },
      finishReasons: [],
      error: undefined,
    });
  });

  it.each<[string, string | undefined, (queue: ReturnType<typeof createQueue>) => unknown]>([
    ['is left', 'cancelled', ({ submit }) => void submit().stream.return()],
    [
      'is aborted',
      'cancelled',
      ({ submit }) => {
        const controller = new AbortController();
        submit({ signal: controller.signal });
        controller.abort();
      },
    ],
    ['was aborted before', 'cancelled', ({ submit }) => submit({ signal: AbortSignal.abort() }).outcome],
    [
      'is not done in time',
      'deadline_exceeded',
      ({ submit }) => submit({ deadlineMs: 5 }) && vi.advanceTimersByTimeAsync(5),
    ],
    ['finds the queue full', 'overloaded', ({ submit }) => submit() && submit()],
    ['finds the model gone', 'worker_failed', ({ replica, submit }) => submit() && replica.become('failed')],
    ['finds the service closing', 'overloaded', ({ queue, submit }) => submit() && void queue.close(0)],
  ])('tells once of a waiting run that %s', async (_what, code, happen) => {
    const all = createQueue({ maxQueue: 1 });
    all.submit();
    const before = all.told.length;
    await happen(all);
    expect(all.ends.map(({ error }) => error?.code)).toContain(code);
    const end = all.ends.find(({ error }) => error?.code === code)!;
    expect([end.waitMs, end.firstOutputMs, end.usage]).toEqual([undefined, undefined, {}]);
    while (all.replica.running > 0) all.replica.finish();
    await vi.runAllTimersAsync();
    while (all.replica.running > 0) all.replica.finish();
    const { told } = all;
    expect(told.length).toBeGreaterThan(before);
    expect(told.filter((name) => name === 'start')).toHaveLength(
      told.filter((name) => name === 'end').length,
    );
  });

  it('ends a run that an observer cancels when it hears of it', async () => {
    const { replica, submit, observers, ends } = createQueue();
    const controller = new AbortController();
    observers.add({ onRunDispatch: () => controller.abort() });
    expect(await submit({ signal: controller.signal }).outcome).toBe('cancelled');
    expect(replica.runs[0]!.cancelled).toBe(true);
    replica.finish();
    expect(ends).toMatchObject([{ error: { code: 'cancelled' } }]);
  });

  it('tells nothing that comes after the end', async () => {
    const { replica, submit, play, ends, told } = createQueue();
    const { stream } = submit();
    play(delta('a'));
    await stream.return();
    play(delta('b'));
    replica.finish(0, new InferenceError('internal', 'late'));
    expect(ends).toMatchObject([{ error: { code: 'cancelled' }, usage: { outputTokens: 1 } }]);
    expect(told).toEqual(['start', 'dispatch', 'output', 'end']);
  });

  it('tells what happens to its replicas', async () => {
    const { queue, emit, observers } = createQueue();
    const events: unknown[] = [];
    const record = (what: string) => (model: object, details?: object) =>
      void events.push([what, { ...model, ...details }]);
    observers.add({
      onModelLoad: record('load'),
      onModelFailure: record('failure'),
      onWorkerLoss: record('loss'),
      onModelClose: record('close'),
    });
    const error = new InferenceError('worker_failed', 'Gone.');
    const runtime = { name: 'native', version: '1.30.0', reason: 'a trial run gave the right results' };
    emit({ type: 'load', loadMs: 5, runtime });
    emit({ type: 'loss', reason: 'exit code 1', restartInMs: 250 });
    emit({ type: 'failure', error });
    await queue.close(0);
    const model = { id: 'toy', category: 'chat' };
    expect(events).toEqual([
      ['load', { ...model, replica: 0, loadMs: 5, runtime }],
      ['loss', { ...model, replica: 0, reason: 'exit code 1', restartInMs: 250 }],
      ['failure', { ...model, replica: 0, error }],
      ['close', model],
    ]);
  });
});

describe('a worker process', () => {
  const engines: Engine[] = [];
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close({ graceMs: 0 })));
  });

  function start(source: string, cancelGraceMs = 5000) {
    const metrics = createMetrics();
    const lines: { level: string; message: string | undefined; fields: Record<string, unknown> }[] = [];
    const log = (level: string) => (fields: object, message?: string) =>
      void lines.push({ level, message, fields: { ...fields } });
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    const engine = createEngine({
      models: { toy: { category: 'chat', source, cancelGraceMs } },
      startReplica: childReplicas({
        worker: new URL('../engine/fixtures/toy-worker.js', import.meta.url),
        restart: { minDelayMs: 5, maxLoadCrashes: 2 },
      }),
      categories: categories as never,
      observers: [metrics.observer, logObserver(logger)],
    });
    engines.push(engine);
    const run = (command: Command, model = 'toy', options: CallOptions = {}) =>
      engine.run('chat', { ...toy(command), model }, options) as AsyncIterable<never>;
    const count = async (name: string, labels = {}) =>
      valueOf(parseText(await metrics.register.metrics()), `slashv1_${name}`, labels);
    return { engine, run, count, lines };
  }

  it('that crashes amid a run is counted, and its replacement too', async () => {
    const { engine, run, count, lines } = start('toy');
    await engine.ready();
    expect(await count('worker_restarts_total', { model: 'toy' })).toBe(0);
    expect(await errorCode(run({ exit: true }))).toBe('worker_failed');
    expect(await count('worker_restarts_total', { model: 'toy' })).toBe(1);
    expect(await count('model_ready', { model: 'toy' })).toBe(0);
    await eventually(async () => expect(await texts(run({ steps: 2 }))).toEqual(['1', '2']));
    expect(await count('model_ready', { model: 'toy' })).toBe(1);
    expect(await count('model_load_seconds_count', { model: 'toy' })).toBe(2);
    expect(await count('runs_total', { outcome: 'worker_failed' })).toBe(1);
    expect(await count('runs_total', { outcome: 'done' })).toBe(1);
    expect(await count('output_tokens_total')).toBe(3);
    await engine.close();
    expect(lines.filter(({ fields }) => 'replica' in fields || !('requestId' in fields))).toMatchObject([
      { level: 'info', message: 'model loaded', fields: { model: 'toy', replica: 0 } },
      {
        level: 'warn',
        message: 'worker lost, restarting',
        fields: { model: 'toy', reason: 'exit code 9', restartInMs: 5 },
      },
      { level: 'info', message: 'model loaded' },
      { level: 'info', message: 'model closed' },
    ]);
  });

  it('that is killed because it does not answer says so', async () => {
    const { engine, run, lines } = start('toy', 50);
    await engine.ready();
    const events = run({ blockForever: true })[Symbol.asyncIterator]();
    await events.next();
    await events.return!();
    await eventually(() =>
      expect(lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({
        reason: 'it did not answer and was stopped',
      }),
    );
  });

  it('that never loads is given up, loudly', async () => {
    const { engine, count, lines } = start('exits');
    await expect(engine.ready()).rejects.toMatchObject({ code: 'worker_failed' });
    expect(await count('worker_restarts_total')).toBe(1);
    expect(await count('model_failures_total')).toBe(1);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn worker lost, restarting',
      'warn worker lost, given up',
      'error model could not be loaded',
    ]);
  });

  it('tells the operator alone why a model can’t be loaded', async () => {
    const { engine, run, lines } = start('fails');
    await expect(engine.ready()).rejects.toThrow('Model "toy" could not be loaded: secret path.');
    const client = run({})[Symbol.asyncIterator]().next();
    await expect(client).rejects.toThrow(/^Model "toy" could not be loaded\.$/);
    expect(lines[0]).toMatchObject({ level: 'error', fields: { err: { message: 'secret path' } } });
  });

  it('of a model that nobody has is one that is unknown', async () => {
    const { run, count, lines } = start('toy');
    for (const model of ['made-up', 'made-up-2'])
      expect(await errorCode(run({}, model))).toBe('model_not_found');
    expect(
      await count('runs_total', { category: 'chat', model: 'unknown', outcome: 'model_not_found' }),
    ).toBe(2);
    expect(lines).toMatchObject([{ level: 'warn', fields: { code: 'model_not_found' } }, { level: 'warn' }]);
    expect(JSON.stringify(lines)).not.toContain('made-up');
  });

  it('names the request where it reports a failure', () => {
    const host = fileURLToPath(new URL('./fixtures/failing-host.js', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [host], { encoding: 'utf8' });
    expect(stdout).toBe('text-delta\nInternal error.\n'.repeat(2));
    expect(stderr.match(/^slashv1 worker: .*/gm)).toEqual([
      'slashv1 worker: a request failed (request-77): Error: secret',
      'slashv1 worker: a request failed: Error: secret',
    ]);
  });
});
