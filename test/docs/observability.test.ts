import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { createMetrics } from '../../src/create-metrics.ts';
import { writeMetricTable } from './observability.ts';

const path = new URL('../../docs/observability.md', import.meta.url);
const table = /(?<=<!-- metrics -->\n)[^]*(?=<!-- \/metrics -->)/;

it('the table of metrics in docs/observability.md is what the code says', async () => {
  const page = await readFile(path, 'utf8');
  expect(page).toMatch(table);
  const written = page.replace(table, () => `\n${writeMetricTable()}\n\n`);
  const formatted = await format(written, { ...(await resolveConfig(path)), parser: 'markdown' });
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(path, formatted);
  expect(await readFile(path, 'utf8')).toBe(formatted);
});

it('docs/observability.md has a row for every metric of a registry, with its labels', async () => {
  const page = await readFile(path, 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `slashv1_'));
  const metrics = createMetrics().register.getMetricsAsArray();
  expect(rows).toHaveLength(metrics.length);
  for (const { name, help } of metrics) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` `));
    expect([name, row?.includes(help)]).toEqual([name, true]);
  }
});
