import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { catalogue } from '../../src/folder/catalogue.ts';
import { expectPage } from './generated-page.ts';
import { writeModelsPage } from './models.ts';

const path = new URL('../../docs/models.md', import.meta.url);

it('docs/models.md is what the code says', () => expectPage('docs/models.md', writeModelsPage));

it('docs/models.md has a row for every entry of the catalogue', async () => {
  const lines = (await readFile(path, 'utf8')).split('\n');
  for (const [id, { source, license }] of Object.entries(catalogue)) {
    const cells = lines
      .find((line) => line.startsWith(`| \`${id}\` `) && line.includes(source))!
      .split('|')
      .map((cell) => cell.trim());
    expect(cells.slice(1, 4)).toEqual([`\`${id}\``, `\`${source}\``, license]);
  }
});
