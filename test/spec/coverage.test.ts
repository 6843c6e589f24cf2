import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isNamed, readTests, type WrittenTest } from './test-titles.ts';

/** A part of the specification with its sentences and rows of tables, in order. */
interface SpecificationPart {
  readonly section: string;
  readonly sentences: readonly {
    readonly text: string;
    /** `file > describe > title`, with a table's placeholders where all of its cases are meant. */
    readonly tests: readonly string[];
    /** The decision where the specification leaves something open. */
    readonly note?: string;
  }[];
}

const root = new URL('../../', import.meta.url);
const parts = JSON.parse(
  await readFile(new URL('coverage.json', import.meta.url), 'utf8'),
) as SpecificationPart[];
const sentences = parts.flatMap((part) => part.sentences);

const files = new Map<string, { source: string; tests: WrittenTest[] }>();
async function read(file: string) {
  const known = files.get(file);
  if (known) return known;
  const source = await readFile(new URL(file, root), 'utf8');
  const entry = { source, tests: readTests(file, source) };
  files.set(file, entry);
  return entry;
}

describe('the specification of the API', () => {
  it('has a test for every sentence, each sentence of a section once', () => {
    expect(sentences.length).toBeGreaterThan(130);
    const proofs = new Set(sentences.flatMap(({ tests }) => tests)).size;
    console.log(`${sentences.length} sentences and rows of the specification, proved by ${proofs} tests`);
    for (const { text, tests } of sentences) expect(tests.length, text).toBeGreaterThan(0);
    for (const { section, sentences: texts } of parts) {
      expect(new Set(texts.map(({ text }) => text)).size, section).toBe(texts.length);
    }
  });

  it.each(sentences.map(({ text, tests }, index) => [index + 1, text, tests] as const))(
    '%d is proved by tests that exist and run',
    async (_number, _text, tests) => {
      for (const name of tests) {
        const [file, ...titles] = name.split(' > ');
        const { source, tests: written } = await read(file!);
        const found = written.filter((test) => isNamed(titles, test, source));
        expect(found, name).not.toEqual([]);
        expect(
          found.every(({ mayBeSkipped }) => mayBeSkipped),
          name,
        ).toBe(false);
      }
    },
  );
});

describe('the search for tests', () => {
  const source = `
    describe.each([['a', 1]])('%s', (_, value) => {
      it.each(['red', 'blue'])('likes %s', () => {});
      it('is', () => {});
      it.skip('is not', () => {});
    });
    test(\`in \${place}\`, () => {});
  `;
  const written = readTests('a.test.ts', source);
  const find = (...names: string[]) => written.filter((test) => isNamed(names, test, source));

  it('finds what is written, and cases of a table', () => {
    expect(written.map(({ titles }) => titles.join(' > '))).toEqual([
      '%s > likes %s',
      '%s > is',
      '%s > is not',
      'in %s',
    ]);
    expect(find('a', 'likes red')).toHaveLength(1);
    expect(find('%s', 'likes %s')).toHaveLength(1);
    expect(find('in %s')).toHaveLength(1);
  });

  it('finds nothing else', () => {
    for (const names of [['a'], ['likes red'], ['a', 'likes green'], ['b', 'is'], ['a', 'is not so']]) {
      expect(find(...names)).toEqual([]);
    }
    expect(find('a', 'is not')).toMatchObject([{ mayBeSkipped: true }]);
  });
});
