// For Node's own runner of tests.
import { strictEqual } from 'node:assert';
import { test } from 'node:test';
import { createInference } from 'slashv1';

void test('a model answers', async () => {
  const inference = createInference({ models: { m: { source: 'tiny-embed' } } });
  try {
    const { embeddings } = await inference.embed({ model: 'm', input: ['Hi'] });
    strictEqual(embeddings.length, 1);
  } finally {
    await inference.close();
  }
});
