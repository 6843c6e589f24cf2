import { expect, it } from 'vitest';
import budget from './english.json' with { type: 'json' };
import { englishOf, oddNames, pages, rateOf, sources, type English } from './english.ts';

/** Some of the places, each with better words. */
function shown({ places }: English): string {
  const some = places.slice(0, 20).map(({ file, text, better }) => `${file}: …${text}… → ${better}`);
  return `${some.join('\n')}\nBudgets only fall: test/architecture/english.json`;
}

it.each([
  ['comments', sources],
  ['pages', pages],
] as const)('the English of %s is plain', (group, files) => {
  const english = englishOf(files);
  expect(rateOf(english), shown(english)).toBeLessThanOrEqual(budget[group]);
});

it('numbers are named max…, min… or default…', () => {
  const odd = oddNames();
  expect(odd.length, odd.join(' ')).toBeLessThanOrEqual(budget.names);
});
