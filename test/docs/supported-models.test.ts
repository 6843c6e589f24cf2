import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { listsOf } from '../../src/loading/choice.ts';
import { expectPage, withSection } from './generated-page.ts';
import {
  contractMiniatures,
  miniatures,
  supportedRows,
  writeArchitectures,
  writeSupportedModels,
} from './supported-models.ts';

it('the tables in docs/supported-models.md are what the registries and the tests say', () =>
  expectPage('docs/supported-models.md', (now) =>
    withSection(withSection(now, 'models', writeSupportedModels()), 'architectures', writeArchitectures()),
  ));

it('every architecture of the registries was tried, or has a reason why not', () => {
  const silent = supportedRows().filter(({ tested }) => tested.endsWith('?'));
  expect(silent.map(({ category, architecture }) => `${category} ${architecture}`)).toEqual([]);
});

it('every architecture that was tried is in the list of its backend, chat aside', () => {
  const listed = (category: string, backend: string) =>
    listsOf(category)
      .filter(({ spelling }) => `\`${spelling}\`` === backend)
      .flatMap(({ architectures }) => architectures)
      .flatMap(({ modelTypes, sharedModelTypes = [] }) => [...modelTypes, ...sharedModelTypes]);
  const rows = supportedRows().filter(({ category }) => category !== 'chat');
  for (const { category, architecture, backends } of rows) {
    for (const backend of backends) expect(listed(category, backend)).toContain(architecture);
  }
});

it('every miniature of the table is in the tests', async () => {
  const folder = new URL('../backends/transformers/', import.meta.url);
  const tests = await readTests(folder);
  for (const name of Object.values(miniatures).flatMap((all) => Object.values(all))) {
    expect(existsSync(new URL(`miniatures/${name}/golden.json`, folder))).toBe(true);
    expect(tests).toContain(`'${name}'`);
  }
});

it('every miniature of our own pipelines is in the tests', async () => {
  const tests = await readTests(new URL('../contract/', import.meta.url));
  const names = [...contractMiniatures().values()].flat();
  expect(names.filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
});

async function readTests(folder: URL): Promise<string> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  return (await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n');
}
