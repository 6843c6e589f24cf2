import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, eventsOf, send } from '../server/support.ts';

const year = 365 * 24 * 3600 * 1000;
afterEach(() => void vi.useRealTimers());

/** Moves the clock of the wall alone: timers and measured durations go on. */
function jump(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
}

function serve(options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ reply: { text: 'one two three four five six', delayMs: 5 } });
  const handler = createHandler(inference, {
    auth: { keys: [{ key: 'test-key', id: 'ann', plan: 'free' }] },
    plans: { free: { rateLimit: { requests: 2, perSeconds: 60 } } },
    keepResponses: true,
    onError: () => {},
    ...options,
  });
  return {
    inference,
    ask: (json: object = chatBody(), more: object = {}) => send(handler, { json, ...more }),
    get: (url: string) => send(handler, { url }),
  };
}

describe('the clock of the machine', () => {
  it.each([
    ['a year ahead', year],
    ['a year back', -year],
    ['before 1970', -60 * year],
  ])('jumps %s while a stream is under way, which ends as any other', async (_, by) => {
    const { ask } = serve();
    const answer = ask(chatBody({ stream: true }), { headers: { 'x-request-timeout': '20' } });
    jump(by);
    const { status, text } = await answer;
    const events = eventsOf(text);
    expect([status, events.at(-1)]).toEqual([200, '[DONE]']);
  });

  it('jumps back: limits hold, and nobody waits for a year', async () => {
    const { ask } = serve();
    await ask();
    await ask();
    jump(-year);
    const { status, headers } = await ask();
    expect([200, 429]).toContain(status);
    if (status === 429) expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('jumps ahead: a limit that has ended by it begins anew', async () => {
    const { ask } = serve();
    await ask();
    await ask();
    expect((await ask()).status).toBe(429);
    jump(61_000);
    expect([200, 429]).toContain((await ask()).status);
  });

  it('jumps while a response is kept: it is had, or is gone, and never an error', async () => {
    const { ask, get } = serve({ plans: { free: {} } });
    const asked = await ask({ model: 'fake-chat', input: 'Hi', store: true }, { url: '/v1/responses' });
    expect(asked.status).toBe(200);
    for (const by of [-year, 2 * year]) {
      jump(by);
      expect([200, 404]).toContain((await get(`/v1/responses/${asked.json.id}`)).status);
    }
  });
});
