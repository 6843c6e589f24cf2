import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

it('every threat of SECURITY.md names tests that exist', () => {
  const rows = readFileSync(resolve(root, 'SECURITY.md'), 'utf8')
    .match(/^\| .*/gm)!
    .slice(2);
  expect(rows.length).toBeGreaterThan(12);
  for (const row of rows) {
    const tests = row.match(/`test\/[^`]+`/g) ?? [];
    expect(tests, row).not.toEqual([]);
    for (const path of tests) expect(existsSync(resolve(root, path.slice(1, -1))), path).toBe(true);
  }
});
