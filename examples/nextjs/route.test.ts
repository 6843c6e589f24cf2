import { afterAll, describe, expect, it } from 'vitest';
import type { Inference } from 'slashv1';
import * as route from './app/v1/[...path]/route.js';

const { GET, POST } = route;

describe('the route of the Next app', { timeout: 60_000 }, () => {
  const headers = { authorization: 'Bearer sk-local', 'content-type': 'application/json' };
  afterAll(() => (globalThis as unknown as { inference: Inference }).inference.close());

  it('has every method of the API, and that of preflight requests, which Next would answer itself', async () => {
    const response = await GET(new Request('http://localhost/v1/openapi.json', { headers }));
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
    const methods = Object.values(paths).flatMap((path) => Object.keys(path));
    const asked = new Set(methods.filter((name) => name !== 'parameters').map((name) => name.toUpperCase()));
    expect(Object.keys(route).sort()).toEqual([...asked, 'OPTIONS'].sort());
  });

  it('lists models and answers', async () => {
    const listed = await GET(new Request('http://localhost/v1/models', { headers }));
    expect(await listed.json()).toMatchObject({ data: [{ id: 'tiny-chat' }] });
    const body = JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }] });
    const answer = await POST(
      new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body }),
    );
    expect(answer.status).toBe(200);
    const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] };
    expect(choices[0]!.message.content).not.toBe('');
  });
});
