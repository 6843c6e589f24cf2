import { expect, test } from 'vitest';
import { loadChatPipeline } from '../../../../src/categories/chat/pipeline/chat-pipeline.ts';

test.each([
  ['maxBatchSize', 0],
  ['maxBatchSize', -1],
  ['maxBatchSize', 1.5],
  ['threads', 0],
  ['threads', -3],
  ['contextLength', 0],
  ['contextLength', 10.5],
  ['contextLength', 2049],
])('refuses %s %d', async (param, value) => {
  const spec = { id: 'a', category: 'chat', source: 'examples/models/tiny-chat', [param]: value } as const;
  await expect(loadChatPipeline(spec)).rejects.toMatchObject({ code: 'invalid_request', param });
});

test.each([
  ['speculation', 'llama', {}, 'can take no tokens back'],
  ['int8Activations', 'llama-gqa', { optimize: true }, 'no MatMulNBits'],
  ['int8Activations', 'llama-gqa', { optimize: false }, 'not rewritten'],
])('refuses %s where it can not act', async (param, name, settings, reason) => {
  const source = `test/contract/models/${name}`;
  const spec = { id: 'a', category: 'chat', source, threads: 1, ...settings, [param]: true } as const;
  const message = expect.stringContaining(reason);
  await expect(loadChatPipeline(spec)).rejects.toMatchObject({ code: 'invalid_request', param, message });
});

test('takes a shorter context', async () => {
  const pipeline = await loadChatPipeline({
    id: 'a',
    category: 'chat',
    source: 'examples/models/tiny-chat',
    threads: 1,
    contextLength: 100,
  });
  expect(pipeline.info.contextLength).toBe(100);
  await pipeline.close();
});
