import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './code-blocks.ts';
import { readTests } from '../spec/test-titles.ts';

const threats = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  .match(/^\| .*/gm)!
  .slice(2)
  .map((row) => [row.slice(2, row.indexOf(' |')).trim(), row] as const);

it('SECURITY.md names the threats', () => {
  expect(threats.length).toBeGreaterThan(12);
});

it.each(threats)('%s: the tests that are named are there', (_threat, row) => {
  const named = [...row.matchAll(/\[([^\]]+)\]\((test\/[^)]+\.ts)\)/g)];
  expect(named).not.toEqual([]);
  for (const [, title, path] of named) {
    const tests = readTests(path!, readFileSync(join(root, path!), 'utf8'));
    expect(tests.map(({ titles }) => titles.at(-1))).toContain(title);
  }
});
