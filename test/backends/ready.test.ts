import { describe, expect, it, onTestFinished } from 'vitest';
import { remote } from '../../src/backends/registry.ts';
import { chat } from '../../src/categories/chat/settings.ts';
import { createInference, type Inference } from '../../src/inference.ts';
import { createHealthHandler } from '../../src/server/health.ts';
import { send } from '../server/support.ts';
import { startEngines, type FakeEngine } from './fake-engine.ts';

async function open(engines: readonly FakeEngine[]): Promise<Inference> {
  const [{ baseURL }] = engines as [FakeEngine];
  const upstreams = engines.map((engine) => ({ baseURL: engine.baseURL }));
  const servers = engines.length === 1 ? { baseURL } : { upstreams };
  const inference = createInference({
    models: { m: chat({ source: 'm', backend: remote.openai(servers) }) },
  });
  onTestFinished(() => inference.close({ graceMs: 0 }));
  await inference.ready();
  return inference;
}

async function ask(inference: Inference): Promise<void> {
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  for await (const _ of inference.chat({ model: 'm', messages }));
}

const readiness = async (inference: Inference) => {
  const { status, json } = await send(createHealthHandler(inference), { url: '/health/ready' });
  return [status, json.status];
};
const ready = [200, 'ready'];
const unreachable = [503, 'unreachable'];

describe.each([1, 2])('a host whose model is on %i other servers', (count) => {
  it('is not ready before one of them comes up', async () => {
    const engines = await startEngines(count);
    for (const engine of engines) await engine.kill();
    const inference = await open(engines);
    expect(await readiness(inference)).toEqual(unreachable);
    await engines.at(-1)!.start();
    await expect.poll(() => readiness(inference)).toEqual(ready);
  });

  it('is not ready while all of them are away, also if nobody asks', async () => {
    const engines = await startEngines(count);
    const inference = await open(engines);
    expect(await readiness(inference)).toEqual(ready);
    for (const engine of engines) await engine.kill();
    await expect.poll(() => readiness(inference)).toEqual(unreachable);
    await engines[0]!.start();
    await expect.poll(() => readiness(inference)).toEqual(ready);
  });

  it('is not ready while all of them are ejected, and is when they have rested', async () => {
    const engines = await startEngines(count);
    const inference = await open(engines);
    for (const engine of engines) engine.fault = 'answers 500';
    await Promise.allSettled(Array.from({ length: 4 }, () => ask(inference)));
    expect(await readiness(inference)).toEqual(unreachable);
    await expect.poll(() => readiness(inference)).toEqual(ready);
  });

  it('is ready while they are only busy', async () => {
    const engines = await startEngines(count);
    const inference = await open(engines);
    for (const engine of engines) engine.fault = 'answers 429';
    await Promise.allSettled(Array.from({ length: 4 }, () => ask(inference)));
    expect(await readiness(inference)).toEqual(ready);
  });
});

it('a host is ready while one server of two is away', async () => {
  const engines = await startEngines(2);
  const inference = await open(engines);
  await engines[0]!.kill();
  await expect.poll(() => inference.status()[0]!.upstreams![0]!.isHealthy).toBe(false);
  expect(await readiness(inference)).toEqual(ready);
});
