import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outcomesOf, startService } from './programs.js';

// Clients as their makers publish them; test/e2e has those of `openai`, `@anthropic-ai/sdk` and slashv1/ai-sdk.
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService();
}, 120_000);
afterAll(() => service.stop());

it.concurrent.each([
  ['ai-sdk', { 'AI SDK, openai': 15, 'AI SDK, openai-compatible': 9 }],
  ['langchain', { 'LangChain JS': 13 }],
])(
  '%s works',
  async (name, paths) => {
    const file = join(import.meta.dirname, 'js', `${name}.js`);
    const outcomes = await outcomesOf({ command: process.execPath, file, name }, service.baseURL);
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    const counts: Record<string, number> = {};
    for (const { client } of outcomes) counts[client] = (counts[client] ?? 0) + 1;
    expect(counts).toEqual(paths);
  },
  120_000,
);
