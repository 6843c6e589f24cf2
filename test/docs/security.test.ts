import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTests } from '../spec/test-titles.ts';
import { root } from './code-blocks.ts';

const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
/** The tests of each threat. */
const threats = JSON.parse(readFileSync(join(root, 'test/security/threats.json'), 'utf8')) as Readonly<
  Record<string, readonly { readonly test: string; readonly file: string }[]>
>;

it('the threats of SECURITY.md are those that have tests', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.slice(2).map((row) => row.slice(2, row.indexOf(' |')).trim());
  expect(named).toEqual(Object.keys(threats));
  expect(named.length).toBeGreaterThan(12);
});

it.each(Object.entries(threats))('%s: the tests are there', (_threat, tests) => {
  expect(tests).not.toEqual([]);
  for (const { test, file } of tests) {
    const written = readTests(file, readFileSync(join(root, file), 'utf8'));
    expect(written.map(({ titles }) => titles.at(-1))).toContain(test);
  }
});
