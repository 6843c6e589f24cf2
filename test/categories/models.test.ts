import { expect, it } from 'vitest';
import { categoryModels, loaderOf } from '../../src/categories/models.ts';
import { categoryNames } from '../../src/categories/registry.ts';

it('workers know the categories that the host knows, in the same order', () => {
  expect([...categoryModels.keys()]).toEqual(categoryNames);
  expect(new Set(categoryNames.map(loaderOf)).size).toBe(categoryNames.length);
});
