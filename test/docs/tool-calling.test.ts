import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { toolCallFormats } from '../../src/core/chat/formats.ts';
import { familyTemplates } from './family-templates.ts';
import { expectPage } from './generated-page.ts';
import { writeToolCallingPage } from './tool-calling.ts';

const path = new URL('../../docs/tool-calling.md', import.meta.url);

describe('docs/tool-calling.md', () => {
  it('is what the code says', () => expectPage('docs/tool-calling.md', writeToolCallingPage));

  it('tests every family, and no test fails', async () => {
    const families = toolCallFormats.flatMap((own) => own.families.map(({ name }) => name));
    expect(familyTemplates.map(({ family }) => family).toSorted()).toEqual(families.toSorted());
    expect(await readFile(path, 'utf8')).not.toMatch(/\| fails +\|/);
  });

  it('has a row for more than fifteen families', async () => {
    const rows = (await readFile(path, 'utf8'))
      .split('\n')
      .filter((line) => /^\| .*\| (yes|no) +\|$/.test(line));
    const cells = rows.map((row) =>
      row
        .slice(2, -2)
        .split('|')
        .map((cell) => cell.trim()),
    );
    expect(cells.length).toBeGreaterThan(15);
    for (const [family, name, models, parallel] of cells) {
      const found = toolCallFormats.find((candidate) => `\`${candidate.name}\`` === name);
      expect(found?.families.find((candidate) => candidate.name === family)?.models.join(', ')).toBe(models);
      expect(parallel).toBe(found!.parallel ? 'yes' : 'no');
    }
  });
});
