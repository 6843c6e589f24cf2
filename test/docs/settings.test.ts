import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { backendSettings } from '../../src/backends/settings.ts';
import { categories } from '../../src/categories/registry.ts';
import { limitSettings } from '../../src/engine/limits.ts';
import { settingsOf } from '../../src/loading/settings.ts';
import type { SettingTable } from '../../src/validation/setting-table.ts';
import { expectPage } from './generated-page.ts';
import { commonTable, settingRows, writeSettingsPage } from './settings.ts';

const path = new URL('../../docs/settings.md', import.meta.url);

describe('docs/settings.md', () => {
  it('is what the tables of settings say', () => expectPage('docs/settings.md', writeSettingsPage));

  it.each([...categories.values()].map((category) => [category.name, category] as const))(
    'has a row for every setting of a model for %s',
    async (name, category) => {
      const sections = (await readFile(path, 'utf8')).split(/^#+ /m);
      const of = (title: string) => sections.find((section) => section.startsWith(`${title}\n`))!;
      const readable = [of('Every model'), of('The queue of a model'), of(name)].join('');
      for (const setting of Object.keys(settingsOf(category)))
        expect(readable).toContain(`| \`${setting}\` `);
    },
  );

  const tables: readonly SettingTable[] = [
    commonTable,
    limitSettings,
    ...[...categories.values()].map((one) => one.settings),
    ...Object.values(backendSettings),
  ];
  const bounded = tables.flatMap((table) =>
    settingRows(table)
      .filter(([name]) => Object.hasOwn(table, name))
      .flatMap(([name, value]) => {
        const [, min] = /^(?:integer|number), (?:at least )?([\d.,]+)/.exec(value) ?? [];
        const [, max] = /^(?:integer|number), .* to ([\d.,]+)/.exec(value) ?? [];
        const cases: [string, unknown, boolean][] = [];
        const isAccepted = (given: number) => table[name]!.safeParse(given).success;
        if (min) cases.push([name, toNumber(min), isAccepted(toNumber(min))]);
        if (min) cases.push([name, toNumber(min) - 1, !isAccepted(toNumber(min) - 1)]);
        if (max) cases.push([name, toNumber(max), isAccepted(toNumber(max))]);
        if (max) cases.push([name, toNumber(max) + 1, !isAccepted(toNumber(max) + 1)]);
        return cases;
      }),
  );

  it('has ranges for numbers', () => expect(bounded.length).toBeGreaterThan(20));

  it.each(bounded)('names the bounds of %s: %d', (_name, _value, holds) => expect(holds).toBe(true));
});

function toNumber(text: string): number {
  return Number(text.replaceAll(',', ''));
}
