import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { InferenceError } from '../../src/errors.ts';
import { remote } from '../../src/backends/registry.ts';
import { chat } from '../../src/categories/chat/settings.ts';
import { embedding } from '../../src/categories/embedding/settings.ts';
import { createInference } from '../../src/inference.ts';
import { createMetrics } from '../../src/create-metrics.ts';
import { chatBody } from '../server/support.ts';
import { startEngines, words, type FakeEngine } from './fake-engine.ts';

function open(
  engines: readonly FakeEngine[],
  limits: readonly number[] = [],
  settings: Partial<Parameters<typeof remote.openai>[0]> = {},
) {
  const upstreams = engines.map(({ baseURL }, index) => ({ baseURL, maxConcurrent: limits[index] ?? 8 }));
  const inference = createInference({
    models: { it: chat({ source: 'm', backend: remote.openai({ upstreams, ...settings }), maxQueue: 1000 }) },
  });
  onTestFinished(() => inference.close({ graceMs: 0 }));
  const ask = async (content: unknown = 'Count.') => {
    let text = '';
    try {
      for await (const event of inference.chat({
        model: 'it',
        messages: [{ role: 'user', content: String(content) }],
      }))
        if (event.type === 'text-delta') text += event.text;
      return { text };
    } catch (error) {
      return { text, error: error as InferenceError };
    }
  };
  const healthOf = () => inference.status()[0]!.upstreams!.map(({ isHealthy }) => isHealthy);
  return { inference, ask, healthOf };
}

describe('several upstreams for one model', () => {
  it('share the work: the least busy one takes the next', async () => {
    const engines = await startEngines(3);
    const { ask, inference } = open(engines, [2, 2, 4]);
    await inference.ready();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(answers.every(({ text }) => text === words.join(''))).toBe(true);
    expect(engines.map(({ requests }) => requests)).toEqual([2, 2, 4]);
    await Promise.all(Array.from({ length: 24 }, () => ask()));
    expect(engines.map(({ mostAtOnce }) => mostAtOnce)).toEqual([2, 2, 4]);
  });

  it('lose, where one is killed under load, only its streams past the first word', async () => {
    const engines = await startEngines(3);
    const { ask, inference, healthOf } = open(engines);
    await inference.ready();
    const whole = words.join('');
    const over = new AbortController();
    const failed: { text: string }[] = [];
    let done = 0;
    const client = async (): Promise<void> => {
      while (!over.signal.aborted && failed.length < 50) {
        const answer = await ask();
        if (answer.error) failed.push(answer);
        else if (answer.text === whole) done++;
      }
    };
    const clients = Array.from({ length: 12 }, client);
    const killed = engines[1]!;
    await expect.poll(() => killed.begun.size, { interval: 5 }).toBeGreaterThan(1);
    const begun = killed.begun.size;
    await killed.kill();
    await expect.poll(healthOf, { interval: 10 }).toEqual([true, false, true]);
    await pause(300);
    expect(failed.every(({ text }) => text !== '' && text !== whole)).toBe(true);
    // A word may have left between the count and the kill.
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThanOrEqual(begun + 4);
    const lost = failed.length;
    await killed.start();
    const before = killed.requests;
    await expect.poll(healthOf, { interval: 10 }).toEqual([true, true, true]);
    await expect.poll(() => killed.requests).toBeGreaterThan(before);
    over.abort();
    await Promise.all(clients);
    expect(failed).toHaveLength(lost);
    expect(done).toBeGreaterThan(20);
  });

  it('answer for one that fails every request, which rests', async () => {
    const engines = await startEngines(2);
    engines[0]!.fault = 'answers 500';
    const { ask, inference, healthOf } = open(engines);
    await inference.ready();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(answers).toEqual(answers.map(() => ({ text: words.join('') })));
    expect(healthOf()).toEqual([false, true]);
    expect(engines[0]!.requests).toBe(4);
    // As long as it rests, it is asked nothing.
    expect(await ask()).toEqual({ text: words.join('') });
    expect(engines[0]!.requests).toBe(4);
    engines[0]!.fault = undefined;
    await expect.poll(healthOf).toEqual([true, true]);
  });

  it("are asked twice about a caller's fault, and answer for one that refuses alone", async () => {
    const engines = await startEngines(3);
    for (const engine of engines) engine.fault = 'answers 400';
    const { ask, inference, healthOf } = open(engines);
    await inference.ready();
    expect((await ask()).error).toMatchObject({ code: 'invalid_request' });
    const requests = (): number => engines.reduce((sum, engine) => sum + engine.requests, 0);
    expect(requests()).toBe(2);
    expect(healthOf()).toEqual([true, true, true]);
    for (const engine of engines.slice(1)) engine.fault = undefined;
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask()));
    expect(answers).toEqual(answers.map(() => ({ text: words.join('') })));
    expect(healthOf()).toEqual([false, true, true]);
  });

  it('get few requests while they hang and callers leave before they are given up', async () => {
    const engines = await startEngines(2);
    const { inference } = open(engines);
    await inference.ready();
    engines[0]!.fault = 'hangs';
    const leave = async (): Promise<void> => {
      const messages = [{ role: 'user', content: 'Count.' }] as const;
      for await (const _ of inference.chat({ model: 'it', messages }, { deadlineMs: 1100 }));
    };
    const answered = async (count: number): Promise<number> => {
      const outcomes = await Promise.allSettled(Array.from({ length: count }, leave));
      return outcomes.filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await answered(8)).toBe(4);
    expect(await answered(8)).toBeGreaterThanOrEqual(7);
  });

  it('rest as long as they say they are busy, also the only one that was idle', async () => {
    const engines = await startEngines(2);
    engines[0]!.fault = 'answers 429';
    const { ask, inference, healthOf } = open(engines, [8, 1]);
    await inference.ready();
    await Promise.all(Array.from({ length: 4 }, () => ask()));
    const before = engines[0]!.requests;
    expect(before).toBeGreaterThan(0);
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask()));
    expect(answers).toEqual(answers.map(() => ({ text: words.join('') })));
    expect(engines[0]!.requests).toBe(before);
    expect(healthOf()).toEqual([true, true]);
    for (const engine of engines) engine.fault = 'answers 429';
    expect((await ask()).error).toMatchObject({ code: 'overloaded', retryAfterSeconds: 30 });
  });

  it('take turns where they are equally idle', async () => {
    const engines = await startEngines(3);
    const { ask, inference } = open(engines);
    await inference.ready();
    for (let request = 0; request < 9; request++) await ask();
    expect(engines.map(({ requests }) => requests)).toEqual([3, 3, 3]);
  });

  it('answer chats that begin alike one by one, until one has far more than its share', async () => {
    const engines = await startEngines(3);
    const { ask, inference } = open(engines, [16, 16, 16], { prefixAffinity: true });
    await inference.ready();
    const requests = (): number[] => engines.map((engine) => engine.requests);
    for (let request = 0; request < 4; request++) await ask('the same');
    expect(requests().toSorted()).toEqual([0, 0, 4]);
    for (let request = 0; request < 24; request++) await ask(request);
    expect(Math.min(...requests())).toBeGreaterThan(0);
    const before = requests();
    await Promise.all(Array.from({ length: 24 }, () => ask('the same')));
    const added = requests().map((count, index) => count - before[index]!);
    expect(Math.max(...added)).toBeLessThanOrEqual(10);
    expect(Math.min(...added)).toBeGreaterThan(0);
  });

  it('are chosen by beginnings for chats alone', async () => {
    const baseURL = 'http://127.0.0.1:9/v1';
    const [one, several] = [{ baseURL }, { upstreams: [{ baseURL }] }];
    const models = {
      single: chat({ source: 'm', backend: remote.openai({ ...one, prefixAffinity: true }) }),
      vectors: embedding({ source: 'm', backend: remote.openai({ ...several, prefixAffinity: true }) }),
    };
    const inference = createInference({ models });
    onTestFinished(() => inference.close());
    for (const id of Object.keys(models)) {
      await expect(inference.load(id)).rejects.toThrow(/backend\.prefixAffinity: expected a chat model/);
    }
  });

  it('that are all away fail the request, and are used as soon as one is back', async () => {
    const engines = await startEngines(2);
    const { ask, inference } = open(engines);
    await inference.ready();
    for (const engine of engines) await engine.kill();
    expect((await ask()).error).toMatchObject({ code: 'worker_failed' });
    await engines[1]!.start();
    await expect.poll(async () => (await ask()).text).toBe(words.join(''));
  });

  it('stand in status and metrics', async () => {
    const engines = await startEngines(2);
    const { ask, inference } = open(engines);
    const { observer, handler } = createMetrics();
    inference.observe(observer);
    await inference.ready();
    await engines[0]!.kill();
    await expect
      .poll(async () => (await ask()).text === '' || inference.status()[0]!.upstreams![0]!.isHealthy)
      .toBe(false);
    const [away, there] = inference.status()[0]!.upstreams!;
    expect(away).toEqual({
      url: engines[0]!.baseURL,
      isHealthy: false,
      running: 0,
      failures: expect.any(Number),
    });
    expect(there).toMatchObject({ isHealthy: true, failures: 0 });
    const { body } = await handler({
      method: 'GET',
      url: '/',
      headers: {},
      body: { parsed: chatBody() },
      signal: new AbortController().signal,
    });
    expect(body).toContain(`slashv1_upstream_healthy{model="it",upstream="${engines[0]!.baseURL}"} 0`);
    expect(body).toContain(`slashv1_upstream_healthy{model="it",upstream="${engines[1]!.baseURL}"} 1`);
  });

  it('are addresses, in place of one', () => {
    const baseURL = 'http://127.0.0.1:9/v1';
    expect(() => remote.openai({ baseURL, upstreams: [{ baseURL }] })).toThrow(
      /upstreams: expected no `baseURL`/,
    );
    expect(() => remote.openai({ upstreams: [{ baseURL: 'gpu-1' }] })).toThrow(
      /upstreams\[0\]\.baseURL: expected/,
    );
    expect(() => remote.openai({})).toThrow(/baseURL: expected/);
  });
});
