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
    const page = await readFile(path, 'utf8');
    expect(page).not.toMatch(/\| fails +\|/);
    const rows = page.split('\n').filter((line) => /\| (?:yes|no) +\| passes/.test(line));
    expect(rows.map((row) => row.split('|')[1]!.trim())).toEqual(familyTemplates.map(({ family }) => family));
    expect(rows.length).toBeGreaterThan(55);
    for (const { name } of toolCallFormats) expect(page).toContain(`\`${name}\``);
  });
});
