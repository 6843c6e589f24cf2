import { expect, expectTypeOf, it } from 'vitest';
import type { ModelOptions } from '../../src/engine/contract.ts';
import { catalogue } from '../../src/models/catalogue.ts';

it('has entries that fit createInference, by hub ids that end with their own', () => {
  expectTypeOf(catalogue).toExtend<Readonly<Record<string, ModelOptions>>>();
  for (const [id, { source }] of Object.entries(catalogue)) {
    expect(source).toMatch(/^[\w-]+\/[\w.-]+$/);
    expect(source.split('/')[1]).toBe(id);
  }
});

it('has two embedding models', () => {
  const embedding = Object.values(catalogue).filter(({ category }) => category === 'embedding');
  expect(embedding).toHaveLength(2);
});
