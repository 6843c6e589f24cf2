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
