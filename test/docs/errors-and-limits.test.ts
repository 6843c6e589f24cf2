import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { wireErrors } from '../../src/http/error-responses.ts';

const guide = await readFile(new URL('../../docs/guides/errors-and-limits.md', import.meta.url), 'utf8');
const rows = [...guide.matchAll(/^\| (\d{3}) +\| `(\w+)` +\| `(\w+)` +\|/gm)].map(
  ([, status, wireCode, code]) => [Number(status), wireCode, code],
);

describe('docs/guides/errors-and-limits.md', () => {
  it('has the statuses and codes of the code', () => {
    expect(rows).toEqual(Object.entries(wireErrors).map(([code, wire]) => [wire.status, wire.code, code]));
  });
});
