import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInference, embedding, rerank, type Inference } from 'slashv1';
import { openSearch } from './search.js';

describe('search', { timeout: 60_000 }, () => {
  let folder: string;
  let inference: Inference;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slashv1-search-'));
    inference = createInference({
      models: { embedder: embedding({ source: 'tiny-embed' }), reranker: rerank({ source: 'tiny-rerank' }) },
    });
  });
  afterAll(async () => {
    await inference.close();
    await rm(folder, { recursive: true });
  });

  it('finds documents, also after a restart', async () => {
    const path = join(folder, 'search.db');
    const first = openSearch(inference, path);
    await first.add([
      'A green star is below a blue square.',
      'There is a red circle in the middle.',
      'Two yellow triangles stand beside a pink cross.',
    ]);
    first.close();
    const second = openSearch(inference, path);
    const found = await second.search('a red circle', 2);
    expect(found.map(({ text }) => text)[0]).toBe('There is a red circle in the middle.');
    expect(found).toHaveLength(2);
    expect(found[0]!.score).toBeGreaterThan(found[1]!.score);
    second.close();
  });
});
