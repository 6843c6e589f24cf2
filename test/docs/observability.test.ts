import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createMetrics } from '../../src/create-metrics.ts';
import { expectPage, withSection } from './generated-page.ts';
import { writeMetricTable } from './observability.ts';

const path = new URL('../../docs/observability.md', import.meta.url);

it('the table of metrics in docs/observability.md is what the code says', () =>
  expectPage('docs/observability.md', (now) => withSection(now, 'metrics', writeMetricTable())));

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
