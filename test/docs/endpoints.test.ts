import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import { toWireName } from '../../src/core/parameters/descriptor.ts';
import { writeEndpointPages } from './endpoints.ts';
import { expectPage } from './generated-page.ts';

const folder = new URL('../../docs/endpoints/', import.meta.url);
const pages = writeEndpointPages();

describe('docs/endpoints', () => {
  it.each([...pages])('%s is what the API says of itself', (file, text) =>
    expectPage(`docs/endpoints/${file}`, () => text),
  );

  it('has no other page', async () => {
    expect((await readdir(folder)).toSorted()).toEqual([...pages.keys()].toSorted());
  });

  it.each([...pages].filter(([file]) => file !== 'README.md'))(
    '%s begins with a request and its answer',
    (_file, text) => {
      const parts = [/^# .+\n\n.+\n\n/, /(?:<!-- not run: .+ -->\n\n)?/, /```sh\n[^]+?\n```\n\n```json\n/];
      expect(text).toMatch(new RegExp(parts.map(({ source }) => source).join('')));
    },
  );

  it('has a meaning for every field and parameter', () => {
    const blank = [...pages].flatMap(([file, text]) =>
      text
        .split('\n')
        .filter((line) => /^\| `.*\|\s*\|$/.test(line))
        .map((line) => `${file}: ${line}`),
    );
    expect(blank).toEqual([]);
  });

  it.each([...categories.values()].map((category) => [category.name, category] as const))(
    'names every parameter of %s',
    async (_name, { parameters, sample }) => {
      const page = pages.get(`${sample.path.replaceAll('/', '-')}.md`)!;
      for (const name of Object.keys(parameters)) expect(page).toContain(`| \`${toWireName(name)}\` |`);
    },
  );
});
