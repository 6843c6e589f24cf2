import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { wireErrors } from '../../src/server/errors.ts';

const guide = await readFile(new URL('../../docs/guides/errors-and-limits.md', import.meta.url), 'utf8');
const rows = [...guide.matchAll(/^\| (\d{3}) +\| `(\w+)` +\|/gm)].map(([, status, code]) => [
  Number(status),
  code,
]);

describe('docs/guides/errors-and-limits.md', () => {
  it('has the statuses and codes of the code', () => {
    expect(rows).toEqual(Object.values(wireErrors).map(({ status, code }) => [status, code]));
  });
});
