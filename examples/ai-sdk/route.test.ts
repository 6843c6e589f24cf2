import { afterAll, describe, expect, it } from 'vitest';
import type { Inference } from 'slashv1';
import { POST } from './route.js';

describe('the chat route of the AI SDK', { timeout: 60_000 }, () => {
  afterAll(() => (globalThis as unknown as { inference: Inference }).inference.close());

  it('streams an answer that its tool has a part in', async () => {
    const parts = [{ type: 'text', text: 'What is the weather in Paris?' }];
    const body = JSON.stringify({ messages: [{ id: '1', role: 'user', parts }] });
    const response = await POST(new Request('http://localhost/api/chat', { method: 'POST', body }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(
      ([, json]) => JSON.parse(json!) as { type: string; delta?: string; input?: unknown },
    );
    expect(events.find(({ type }) => type === 'tool-input-available')?.input).toEqual({ city: 'Paris' });
    const text = events.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');
    expect(text).toMatch(/21|sunny/);
  });
});
