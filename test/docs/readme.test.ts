import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './code-blocks.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

describe('README.md', () => {
  it.each(['start', 'test'])('has `npm ci && npm %s` as one command', (name) => {
    expect(readme).toContain(`\n\`\`\`sh\nnpm ci && npm ${name}\n\`\`\`\n`);
    expect(scripts).toHaveProperty(name);
  });

  it('has figures that stand, with machine and date, on the pages that they link', () => {
    const [, table = ''] = /## Numbers\n([\s\S]*?)\n## /.exec(readme) ?? [];
    const rows = [...table.matchAll(/^\|(.+)\|.*\]\(([^)#]+)#([^)]+)\) *\|$/gm)];
    expect(rows.length).toBeGreaterThan(5);
    for (const [, cells, page, anchor] of rows) {
      const section = sectionOf(read(page!), anchor!);
      // The first cell says what was measured; figures of the others are results.
      const figures =
        cells!
          .split('|')
          .slice(1)
          .join(' ')
          .match(/\d+(?:\.\d+)?/g) ?? [];
      expect(figures.length).toBeGreaterThan(0);
      expect(section.match(/\d+(?:\.\d+)?/g) ?? []).toEqual(expect.arrayContaining(figures));
      expect(section).toMatch(/20\d\d-\d\d-\d\d/);
    }
  });
});

/** The part of a page below a heading, up to the next one of its level. */
function sectionOf(page: string, anchor: string): string {
  const parts = page.split(/^(?=## )/m);
  const toAnchor = (part: string): string =>
    part
      .slice(3, part.indexOf('\n'))
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  const section = parts.find((part) => toAnchor(part) === anchor);
  if (section === undefined) throw new Error(`no section #${anchor}`);
  return section;
}
