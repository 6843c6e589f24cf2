import { afterEach, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../dist/src/engine/create-engine.js';
import { categories } from '../../dist/src/categories/registry.js';
import { inlineReplicas } from '../../dist/src/engine/inline-replica.js';
import { createHealthHandler } from '../../dist/src/server/health.js';
import { loadToyPipeline } from './fixtures/toy-pipeline.js';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { ChatRequest } from '../../src/categories/chat/request.ts';
import { errorCode, textOf, texts, toy } from './toy-requests.ts';

let engine: Engine;
afterEach(() => engine.close({ graceMs: 0 }));

const get = {
  method: 'GET',
  url: '/health',
  headers: {},
  body: { parsed: undefined },
  signal: AbortSignal.timeout(60_000),
};

const start = (source: string) => {
  const models = { toy: { category: 'chat', source, maxBatchSize: 2 } };
  engine = createEngine({ models, startReplica: inlineReplicas(loadToyPipeline), categories });
};

const run = (request: ChatRequest) => engine.run('chat', request) as AsyncIterable<ChatEvent>;

it('runs in the calling process', async () => {
  start('toy');
  expect(await texts(run(toy({ pid: true, steps: 2 })))).toEqual([String(process.pid), '1', '2']);
  expect(engine.models()[0]).toMatchObject({ ownedBy: 'tests' });
  expect(engine.status()).toEqual([{ id: 'toy', state: 'ready', running: 0, waiting: 0 }]);
});

it('stops a run that the caller has left at its next step', async () => {
  start('toy');
  for await (const event of run(toy({ steps: 1e9 }))) if (textOf(event) === '5') break;
  const [text] = await texts(run(toy({ report: true })));
  expect((JSON.parse(text!) as { steps: number }).steps).toBeLessThanOrEqual(7);
});

it('passes errors on', async () => {
  start('toy');
  expect(await errorCode(run(toy({ fail: 'known' })))).toBe('context_length_exceeded');
  expect(await errorCode(run(toy({ fail: 'unknown' })))).toBe('internal');
});

it('says why a model cannot be loaded', async () => {
  start('fails-clearly');
  await expect(engine.ready()).rejects.toThrow('Model "toy" could not be loaded: no config.json there.');
  expect(await errorCode(run(toy({})))).toBe('worker_failed');
});

it('serves everybody while it drains, and says so', async () => {
  start('toy');
  await engine.ready();
  const closing = engine.close({ drainDelayMs: 60_000 });
  const answers = [];
  for (let index = 0; index < 20; index++) {
    answers.push(await texts(run(toy({ steps: 1 }))));
    const { status, body } = await createHealthHandler(engine)(get);
    expect([status, (JSON.parse(String(body)) as { status: string }).status]).toEqual([503, 'draining']);
  }
  expect(answers).toEqual(Array.from({ length: 20 }, () => ['1']));
  const last = texts(run(toy({ steps: 50 })));
  await engine.close();
  await closing;
  expect(await last).toHaveLength(50);
  expect(await errorCode(run(toy({ steps: 1 })))).toBe('overloaded');
  expect(engine.status()[0]!.state).toBe('closed');
});

it('cancels what runs when it is closed', async () => {
  start('toy');
  const running = errorCode(run(toy({ steps: 1e9 })));
  await engine.ready();
  await engine.close({ graceMs: 10 });
  expect(await running).toBe('overloaded');
  expect(await errorCode(run(toy({ steps: 1 })))).toBe('overloaded');
});
