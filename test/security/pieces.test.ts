import { describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import type { Endpoint } from '../../src/contracts/endpoint.ts';
import { z } from 'zod';
import type { Meter } from '../../src/server/plans.ts';
import { createBudget } from '../../src/server/request-budget.ts';
import type { ApiRequest } from '../../src/contracts/http.ts';
import { createBodyGate } from '../../src/server/body-gate.ts';
import type { RequestBudget } from '../../src/contracts/endpoint.ts';
import { inPieces, type Pieces } from '../../src/validation/in-pieces.ts';
import { listOf as listSchema } from '../../src/validation/list-schema.ts';
import { isThorough } from '../thorough.ts';

const caller = { kept: undefined, seal: (text: string) => text, unseal: () => undefined };
/** The limit of a body; a sixteenth of it outside of CI. */
const mostObjects = isThorough ? 2 ** 14 : 2 ** 10;
const listOf = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, i) => item(i));

const conversation = {
  model: 'm',
  messages: listOf(mostObjects - 1, () => ({ role: 'user', content: 'Hi' })),
};
/** The largest body of each endpoint that the limits of a JSON body allow, by values, arrays or objects. */
const bodies: Readonly<Record<string, object>> = {
  '/chat/completions': conversation,
  '/completions': { model: 'm', prompt: listOf(64, () => 'Hi'), stop: listOf(4, String) },
  '/messages': { ...conversation, max_tokens: 1 },
  '/messages/count_tokens': conversation,
  '/responses': { model: 'm', input: conversation.messages },
  '/responses/input_tokens': { model: 'm', input: conversation.messages },
  '/tokenize': conversation,
  '/detokenize': { model: 'm', tokens: listOf((isThorough ? 2 ** 19 : 2 ** 15) - 2, () => 1) },
  '/embeddings': { model: 'm', input: listOf(2048, () => 'Hi') },
  '/rerank': { model: 'm', query: 'Hi', documents: listOf(1000, () => 'Hi') },
  '/images/generations': { model: 'm', prompt: 'Hi' },
  '/audio/speech': { model: 'm', input: 'Hi', voice: 'v' },
  '/detect': { model: 'm', image: 'Hi' },
};

const endpoints = [...categories.values()]
  .flatMap((category) => category.endpoints)
  .filter((one): one is Endpoint => 'read' in one && one.uploadField === undefined);

describe('every endpoint reads the largest body in pieces of 0 ms', () => {
  it('each has a body here', () => {
    expect(endpoints.map(({ path }) => path).toSorted()).toEqual(Object.keys(bodies).toSorted());
  });

  // Some share a reader.
  const readers = new Map(endpoints.map((endpoint) => [endpoint.read, endpoint]));
  it.each([...readers.values()].map((one) => [one.path, one] as const))('%s', async (path, endpoint) => {
    let pauses = 0;
    const pause = async (): Promise<void> => void pauses++;
    const pieces: Pieces = (check) => inPieces(check, { pieceMs: 0, pause });
    const body = bodies[path]!;
    const budgetOf = (given: Pieces): RequestBudget => ({ pieces: given, pause, hold() {} });
    const atOnce = budgetOf(async (check) => (await check()) as never);
    const whole = await endpoint.read(body, caller, atOnce);
    pauses = 0;
    const read = await pieces(() => endpoint.read(body, caller, budgetOf(pieces)));
    expect({ ...(read as object), fieldOf: undefined }).toEqual({ ...(whole as object), fieldOf: undefined });
    const items = Math.max(
      0,
      ...Object.values(body).map((value) => (Array.isArray(value) ? value.length : 0)),
    );
    // Up to five checks of each item, which the dialects share, and one more piece for each.
    expect(pauses).toBeLessThanOrEqual(5 * items + 5);
  });

  it('a client that leaves ends it between two pieces', async () => {
    const leaving = new AbortController();
    const request = {
      method: 'POST',
      url: '/',
      headers: {},
      body: { parsed: undefined },
      signal: leaving.signal,
    };
    let checks = 0;
    const list = z.object({ items: listSchema(z.string().refine(() => slow(() => checks++))) });
    const check = budgetFor(request).pieces(() => list.parse({ items: listOf(100, String) }));
    leaving.abort();
    await expect(check).rejects.toMatchObject({ code: 'cancelled' });
    expect(checks).toBeLessThan(100);
  });

  it('a deadline ends it between two pieces', async () => {
    const headers = { 'x-request-timeout': '0.001' };
    const { signal } = new AbortController();
    const request = { method: 'POST', url: '/', headers, body: { parsed: undefined }, signal };
    const list = z.object({ items: listSchema(z.string().refine(() => slow(() => undefined))) });
    const { pieces } = budgetFor(request);
    await expect(pieces(() => list.parse({ items: listOf(100, String) }))).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    // A request of the quota.
    expect(charges).toEqual([0]);
  });
});

function budgetFor(request: ApiRequest) {
  return createBudget({ request, owner: undefined, meter, startedAt: performance.now() }, gate);
}

const gate = createBodyGate('bodies', { count: 1, countPerKey: 1, bytes: 1, bytesPerKey: 1 });
const charges: number[] = [];
const meter = {
  spend: async () => ({
    settle: async (tokens: number) => void charges.push(tokens),
    refund: async () => undefined,
  }),
} as unknown as Meter;

/** A check that takes a millisecond. */
function slow(check: () => unknown): true {
  check();
  for (const end = performance.now() + 1; performance.now() < end;);
  return true;
}
