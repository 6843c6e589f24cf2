import * as fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/engine/create-engine.ts';
import { createToyEngine as create, hold, toyModel, type ToyEngine } from './toy-engine.ts';
import { runs } from '../thorough.ts';

const engines: Engine[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(engines.splice(0).map((engine) => engine.close({ graceMs: 0 })));
});

function createToyEngine(...given: Parameters<typeof create>): ToyEngine {
  const toyEngine = create(...given);
  engines.push(toyEngine.engine);
  return toyEngine;
}

const onDemand = { loadOnDemand: true } as const;
const stateOf = ({ engine }: ToyEngine, model: string) =>
  engine.status().find(({ id }) => id === model)?.state;

/** Until everything that can happen now has happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

describe('a model that loads on demand', () => {
  it('is loaded by its first request', async () => {
    const toy = createToyEngine({ a: onDemand, b: {} });
    await toy.engine.ready();
    expect([stateOf(toy, 'a'), stateOf(toy, 'b')]).toEqual(['unloaded', 'ready']);
    expect(toy.engine.models()[0]).toMatchObject({ id: 'a', contextLength: undefined });
    expect(await toy.ask('a')).toBe('done');
    expect(stateOf(toy, 'a')).toBe('ready');
    expect(await toy.ask('a')).toBe('done');
    expect(toy.trace.filter((step) => step === 'load a')).toHaveLength(1);
  });

  it('says how far it is while it loads', async () => {
    const toy = createToyEngine({ a: { ...onDemand, replicas: 2 } });
    const progress = () => toy.engine.status()[0]!.progress;
    hold(toy, 'load a');
    const loaded = toy.engine.load('a');
    await settle();
    expect(progress()).toEqual({ phase: 'downloading', receivedBytes: 1, totalBytes: 4 });
    toy.gates.get('load a')!.resolve();
    await loaded;
    expect(toy.engine.status()[0]).toMatchObject({ state: 'ready' });
    expect(progress()).toBeUndefined();
    await toy.engine.unload('a');
    expect(progress()).toBeUndefined();
  });

  it('lets requests wait while it loads, within their deadline and the bound of the queue', async () => {
    vi.useFakeTimers();
    const toy = createToyEngine({ a: { ...onDemand, maxQueue: 2 } });
    const load = hold(toy, 'load a');
    const patient = toy.ask('a');
    const hurried = toy.ask('a', { deadlineMs: 100 });
    const late = toy.ask('a');
    expect(stateOf(toy, 'a')).toBe('loading');
    expect(await late).toBe('overloaded');
    await vi.advanceTimersByTimeAsync(100);
    expect(await hurried).toBe('deadline_exceeded');
    load.resolve();
    expect(await patient).toBe('done');
  });

  it('without a queue refuses the first request, and loads', async () => {
    const toy = createToyEngine({ a: { ...onDemand, maxQueue: 0 } });
    expect(await toy.ask('a')).toBe('overloaded');
    await toy.engine.load('a');
    expect(await toy.ask('a')).toBe('done');
  });

  it('fails its requests when it cannot be loaded, and tries again when told to', async () => {
    const toy = createToyEngine({ a: { ...onDemand, source: 'fails' } });
    expect(await Promise.all([toy.ask('a'), toy.ask('a')])).toEqual(['worker_failed', 'worker_failed']);
    expect(stateOf(toy, 'a')).toBe('failed');
    await expect(toy.engine.load('a')).rejects.toThrow('Model "a" could not be loaded: no file.');
    expect(toy.trace).toEqual(['load a', 'load a']);
    await toy.engine.ready();
  });

  it('is unloaded after idleUnloadMs without a request, and keeps what is known of it', async () => {
    vi.useFakeTimers();
    const reasons: string[] = [];
    const toy = createToyEngine(
      { a: { idleUnloadMs: 1000 } },
      { observers: [{ onModelUnload: ({ id }, { reason }) => reasons.push(`${id} ${reason}`) }] },
    );
    expect(await toy.ask('a')).toBe('done');
    await vi.advanceTimersByTimeAsync(900);
    const run = hold(toy, 'run a');
    const running = toy.ask('a');
    await vi.advanceTimersByTimeAsync(5000);
    expect(stateOf(toy, 'a')).toBe('ready');
    run.resolve();
    expect(await running).toBe('done');
    await vi.advanceTimersByTimeAsync(999);
    expect(stateOf(toy, 'a')).toBe('ready');
    await vi.advanceTimersByTimeAsync(1);
    expect(stateOf(toy, 'a')).toBe('unloaded');
    expect(toy.engine.models()[0]).toMatchObject({ contextLength: 99 });
    expect(reasons).toEqual(['a idle']);
    expect(await toy.ask('a')).toBe('done');
  });
});

describe('maxLoadedModels', () => {
  const options = { maxLoadedModels: 1 };

  it('unloads the model that was used longest ago', async () => {
    const toy = createToyEngine({ a: {}, b: {}, c: {} }, { maxLoadedModels: 2 });
    await toy.engine.ready();
    for (const model of ['a', 'b', 'a', 'c']) expect(await toy.ask(model)).toBe('done');
    expect(['a', 'b', 'c'].map((model) => stateOf(toy, model))).toEqual(['ready', 'unloaded', 'ready']);
    expect(toy.mostInMemory).toBe(2);
  });

  it('never cuts a running request, and serves those that waited before', async () => {
    const toy = createToyEngine({ a: {}, b: {} }, options);
    const run = hold(toy, 'run a');
    const ofA = [toy.ask('a'), toy.ask('a'), toy.ask('a')];
    await settle();
    const ofB = toy.ask('b');
    const lateA = toy.ask('a');
    await settle();
    expect(toy.inMemory).toEqual(['a']);
    run.resolve();
    expect(await Promise.all([...ofA, ofB, lateA])).toEqual(Array(5).fill('done'));
    const loads = ['load a', 'load b', 'load a'];
    expect(toy.trace.filter((step) => step.startsWith('load '))).toEqual(loads);
    expect(toy.trace.indexOf('close a')).toBeGreaterThan(toy.trace.lastIndexOf('run a', 7));
    expect(toy.mostInMemory).toBe(1);
  });

  it('lets a model that is loading be, and those that have to wait time out', async () => {
    vi.useFakeTimers();
    const toy = createToyEngine({ a: {}, b: {} }, options);
    const load = hold(toy, 'load a');
    const ofA = toy.ask('a');
    const ofB = toy.ask('b', { deadlineMs: 50 });
    await vi.advanceTimersByTimeAsync(50);
    expect(await ofB).toBe('deadline_exceeded');
    load.resolve();
    expect(await ofA).toBe('done');
  });

  it('keeps a model that does not load on demand', async () => {
    const models = { a: { loadOnDemand: false }, b: {}, c: {} };
    const toy = createToyEngine(models, { maxLoadedModels: 2 });
    await toy.engine.ready();
    for (const model of ['b', 'c', 'b']) expect(await toy.ask(model)).toBe('done');
    expect(toy.trace.filter((step) => step === 'load a')).toHaveLength(1);
    expect(toy.mostInMemory).toBe(2);
  });

  it('is refused where it leaves no place', () => {
    const models = { a: { loadOnDemand: false }, b: {} };
    expect(() => createToyEngine(models, options)).toThrow(/^maxLoadedModels: expected room beside the 1/);
    const toy = createToyEngine({ a: { loadOnDemand: false } }, options);
    expect(() => toy.engine.add('b', toyModel())).toThrow('maxLoadedModels');
  });

  it('does not count models that take no memory here', async () => {
    const takesRoom = ({ source }: { source: string }): boolean => source !== 'remote';
    const toy = createToyEngine({ a: {}, far: { source: 'remote' } }, { ...options, takesRoom });
    await toy.engine.ready();
    expect([stateOf(toy, 'a'), stateOf(toy, 'far')]).toEqual(['unloaded', 'ready']);
    expect(await toy.ask('a')).toBe('done');
    expect(stateOf(toy, 'far')).toBe('ready');
  });
});

describe('models of a running inference', () => {
  it('come and go', async () => {
    const toy = createToyEngine({ a: {} });
    toy.engine.add('b', toyModel());
    await toy.engine.ready();
    expect(await toy.ask('b')).toBe('done');
    expect(() => toy.engine.add('b', toyModel())).toThrow('id: expected one that is free, got "b".');
    await toy.engine.remove('b');
    expect(await toy.ask('b')).toBe('model_not_found');
    expect(toy.engine.status().map(({ id }) => id)).toEqual(['a']);
    expect(toy.inMemory).toEqual(['a']);
    toy.engine.add('b', toyModel());
    expect(await toy.ask('b')).toBe('done');
  });

  it('serve all requests that came before they are removed, and no others', async () => {
    const toy = createToyEngine({ a: {} });
    const run = hold(toy, 'run a');
    const running = [toy.ask('a'), toy.ask('a')];
    await settle();
    const waiting = toy.ask('a');
    const removed = toy.engine.remove('a');
    expect(await toy.ask('a')).toBe('model_not_found');
    run.resolve();
    expect(await Promise.all([...running, waiting])).toEqual(['done', 'done', 'done']);
    await removed;
    expect(toy.inMemory).toEqual([]);
  });

  it('fail those that still wait when their time to be removed has passed', async () => {
    const toy = createToyEngine({ a: {} });
    const run = hold(toy, 'run a');
    const running = [toy.ask('a'), toy.ask('a')];
    await settle();
    const waiting = toy.ask('a');
    const removed = toy.engine.remove('a', { graceMs: 20 });
    expect(await Promise.all([...running, waiting])).toEqual(Array(3).fill('model_not_found'));
    run.resolve();
    await removed;
    expect(toy.inMemory).toEqual([]);
  });

  it.each(['load', 'unload', 'reload', 'remove'] as const)('%s refuses an unknown id', async (name) => {
    const toy = createToyEngine({ a: onDemand });
    await expect(toy.engine[name]('b')).rejects.toMatchObject({ code: 'model_not_found', param: 'model' });
  });

  it('are not added to a closed inference', async () => {
    const toy = createToyEngine({ a: onDemand });
    await toy.engine.close();
    expect(() => toy.engine.add('b', toyModel())).toThrow('shutting down');
    await expect(toy.engine.load('a')).rejects.toMatchObject({ code: 'overloaded' });
    expect(toy.inMemory).toEqual([]);
  });
});

describe('races', () => {
  it('load during unload loads again, after it', async () => {
    const toy = createToyEngine({ a: {} });
    await toy.engine.ready();
    const close = hold(toy, 'close a');
    const unloaded = toy.engine.unload('a');
    const loaded = toy.engine.load('a');
    const asked = toy.ask('a');
    await settle();
    expect(toy.trace).toEqual(['load a', 'loaded a', 'close a']);
    close.resolve();
    await Promise.all([unloaded, loaded]);
    expect(await asked).toBe('done');
    expect(toy.mostInMemory).toBe(1);
  });

  it('unload during load lets requests that wait have it first', async () => {
    const toy = createToyEngine({ a: onDemand });
    const load = hold(toy, 'load a');
    const asked = toy.ask('a');
    const unloaded = toy.engine.unload('a');
    load.resolve();
    expect(await asked).toBe('done');
    await unloaded;
    expect(stateOf(toy, 'a')).toBe('unloaded');
  });

  it('unload during load ends a load that nobody waits for', async () => {
    const toy = createToyEngine({ a: onDemand });
    const load = hold(toy, 'load a');
    const loaded = expect(toy.engine.load('a')).rejects.toMatchObject({ code: 'overloaded' });
    const unloaded = toy.engine.unload('a');
    await loaded;
    load.resolve();
    await unloaded;
    expect([stateOf(toy, 'a'), toy.inMemory]).toEqual(['unloaded', []]);
  });

  it('reload waits for running requests, and new ones wait for it', async () => {
    const toy = createToyEngine({ a: {} });
    const run = hold(toy, 'run a');
    const before = toy.ask('a');
    await settle();
    const reloaded = toy.engine.reload('a');
    const after = toy.ask('a');
    await settle();
    expect(toy.inMemory).toEqual(['a']);
    run.resolve();
    expect(await Promise.all([before, after, reloaded])).toEqual(['done', 'done', undefined]);
    expect(toy.trace).toEqual(['load a', 'loaded a', 'run a', 'close a', 'load a', 'loaded a', 'run a']);
  });

  it.each(['remove', 'close'] as const)('%s during load leaves nothing', async (end) => {
    const toy = createToyEngine({ a: onDemand, b: {} });
    const load = hold(toy, 'load a');
    const asked = toy.ask('a');
    const loaded = expect(toy.engine.load('a')).rejects.toMatchObject({ code: 'overloaded' });
    await settle();
    const ended = end === 'remove' ? toy.engine.remove('a') : toy.engine.close();
    expect(await asked).toBe(end === 'remove' ? 'model_not_found' : 'overloaded');
    load.resolve();
    await Promise.all([ended, loaded]);
    expect(toy.inMemory).toEqual(end === 'remove' ? ['b'] : []);
  });

  it('close during unload, and while a model waits for its place, leaves nothing', async () => {
    const toy = createToyEngine({ a: {}, b: {} }, { maxLoadedModels: 1 });
    expect(await toy.ask('a')).toBe('done');
    const gate = hold(toy, 'close a');
    const ofB = toy.ask('b');
    await settle();
    const closed = toy.engine.close();
    expect(await ofB).toBe('overloaded');
    gate.resolve();
    await closed;
    expect([toy.inMemory, toy.trace.includes('load b')]).toEqual([[], false]);
  });

  it('holds its promises in any order of calls', async () => {
    const model = fc.constantFrom('a', 'b', 'c');
    const call = fc.constantFrom('ask', 'ask', 'ask', 'load', 'unload', 'reload', 'remove', 'add', 'turn');
    const walk = async (steps: (readonly [string, string])[], maxLoadedModels: number): Promise<void> => {
      const toy = create({ a: {}, b: {}, c: {} }, { maxLoadedModels });
      const removed = new Set<string>();
      const outcomes: Promise<readonly [model: string, outcome: string]>[] = [];
      const others: Promise<unknown>[] = [];
      for (const [name, id] of steps) {
        if (name === 'ask') outcomes.push(toy.ask(id).then((outcome) => [id, outcome] as const));
        else if (name === 'turn') await nextTurn();
        else if (name === 'add') {
          if (!toy.engine.models().some((one) => one.id === id)) toy.engine.add(id, toyModel());
        } else {
          if (name === 'remove') removed.add(id);
          others.push(toy.engine[name as 'load'](id).catch(() => undefined));
        }
      }
      for (const [id, outcome] of await Promise.all(outcomes)) {
        if (outcome !== 'done') expect([removed.has(id), outcome]).toEqual([true, 'model_not_found']);
      }
      await Promise.all(others);
      expect(toy.mostInMemory).toBeLessThanOrEqual(maxLoadedModels);
      await toy.engine.close();
      expect(toy.inMemory).toEqual([]);
      expect(toy.trace.filter((step) => step.startsWith('loaded '))).toHaveLength(
        toy.trace.filter((step) => step.startsWith('close ')).length,
      );
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(call, model), { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        walk,
      ),
      { numRuns: runs(200) },
    );
  });
});
