import { expect, it } from 'vitest';
import { suggest } from '../../../src/core/text/suggest.ts';

it.each([
  ['serv', 'serve'],
  ['SERVE', 'serve'],
  ['bnech', 'bench'],
  ['benhc', 'bench'],
  ['models lst', 'models list'],
  ['xyz', undefined],
  ['', undefined],
])('%j was probably %s', (given, expected) => {
  expect(suggest(given, ['serve', 'bench', 'models list', 'models rm'])).toBe(expected);
});
