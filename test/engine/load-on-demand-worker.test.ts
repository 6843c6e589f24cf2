import { afterEach, expect, it } from 'vitest';
import { categories } from '../../dist/src/categories/registry.js';
import { childReplicas } from '../../dist/src/engine/child-replica.js';
import { createEngine, type Engine, type EngineOptions } from '../../dist/src/engine/create-engine.js';
import type { Command } from './fixtures/toy-pipeline.js';
import { eventually, isRunning } from './processes.ts';
import { errorCode, texts, toy } from './toy-requests.ts';

const engines: Engine[] = [];
afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.close({ graceMs: 0 }))));

function start(
  models: Record<string, { source?: string; loadOnDemand?: boolean }>,
  limits: Partial<EngineOptions> = {},
) {
  const configured = Object.entries(models).map(([id, options]) => [
    id,
    { category: 'chat', source: 'toy', loadOnDemand: true, ...options },
  ]);
  const engine = createEngine({
    models: Object.fromEntries(configured),
    startReplica: childReplicas({ worker: new URL('./fixtures/toy-worker.js', import.meta.url) }),
    categories,
    ...limits,
  });
  engines.push(engine);
  const run = (model: string, command: Command) =>
    engine.run('chat', { ...toy(command), model }) as AsyncIterable<never>;
  const pidOf = async (model: string) => Number((await texts(run(model, { pid: true })))[0]);
  const stateOf = (model: string) => engine.status().find(({ id }) => id === model)?.state;
  return { engine, run, pidOf, stateOf };
}

it('a model has a process from its first request until it is unloaded', async () => {
  const { engine, pidOf, stateOf } = start({ a: {} });
  expect(stateOf('a')).toBe('unloaded');
  const first = await pidOf('a');
  expect(await pidOf('a')).toBe(first);
  await engine.unload('a');
  await eventually(() => expect(isRunning(first)).toBe(false));
  expect(await pidOf('a')).not.toBe(first);
  const second = await pidOf('a');
  await engine.reload('a');
  expect(isRunning(second)).toBe(false);
  expect(stateOf('a')).toBe('ready');
});

it('a process that outgrows the memory of all makes another one leave, after its request', async () => {
  const { run, pidOf, stateOf } = start({ a: {}, b: {} }, { maxLoadedBytes: 1 });
  const first = await pidOf('a');
  const asked = texts(run('a', { steps: 300 }));
  const second = pidOf('b');
  expect(await asked).toHaveLength(300);
  expect(await second).not.toBe(first);
  await eventually(() => expect(isRunning(first)).toBe(false));
  expect([stateOf('a'), stateOf('b')]).toEqual(['unloaded', 'ready']);
});

it.each(['remove', 'unload', 'close'] as const)('%s ends a process that is still loading', async (end) => {
  const { engine, run, stateOf } = start({ a: { source: 'hangs' } });
  const loaded = expect(engine.load('a')).rejects.toMatchObject({ code: 'overloaded' });
  expect(stateOf('a')).toBe('loading');
  await (end === 'close' ? engine.close() : engine[end]('a'));
  await loaded;
  expect(stateOf('a')).toBe({ remove: undefined, unload: 'unloaded', close: 'closed' }[end]);
  if (end === 'remove') expect(await errorCode(run('a', {}))).toBe('model_not_found');
});
