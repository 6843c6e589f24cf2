import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import { toWireName } from '../../src/core/parameters/descriptor.ts';
import { writeEndpointPages } from './endpoints.ts';

const folder = new URL('../../docs/endpoints/', import.meta.url);
const pages = writeEndpointPages();

describe('docs/endpoints', () => {
  it.each([...pages])('%s is what the API says of itself', async (file, text) => {
    const path = new URL(file, folder);
    const page = await format(text, { ...(await resolveConfig(path)), parser: 'markdown' });
    if (process.env['UPDATE_DOCS'] === '1') {
      await mkdir(folder, { recursive: true });
      await writeFile(path, page);
    }
    expect(await readFile(path, 'utf8')).toBe(page);
  });

  it('has no other page', async () => {
    expect((await readdir(folder)).toSorted()).toEqual([...pages.keys()].toSorted());
  });

  it.each([...categories.values()].map((category) => [category.name, category] as const))(
    'names every parameter of %s',
    async (_name, { parameters, sample }) => {
      const page = pages.get(`${sample.path.replaceAll('/', '-')}.md`)!;
      for (const name of Object.keys(parameters)) expect(page).toContain(`| \`${toWireName(name)}\` |`);
    },
  );
});
