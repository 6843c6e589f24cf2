import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { difference, expectPage, updatesPages, withSection } from './generated-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'generated-page-'));
afterAll(() => rmSync(folder, { recursive: true }));
const command = 'UPDATE_DOCS=1 npx vitest run test/docs/generated-page.test.ts';

describe('a generated page', () => {
  it('is compared once it is formatted', async () => {
    const file = join(folder, 'same.md');
    writeFileSync(file, '| a   | b   |\n| --- | --- |\n| one | two |\n');
    const path = relative(resolve(import.meta.dirname, '../..'), file);
    await expectPage(path, () => '|a|b|\n|-|-|\n|one|two|\n');
  });

  it.skipIf(updatesPages)(
    'that differs stays, and the failure names page, line, both sides and command',
    async () => {
      const file = join(folder, 'other.md');
      writeFileSync(file, 'first\n\nold\n');
      const path = relative(resolve(import.meta.dirname, '../..'), file);
      const failure = await expectPage(path, (now) => now.replace('old', 'new')).then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
      expect(failure?.split('\n')).toEqual([
        `${path} is not what the code makes. The first difference is in line 3:`,
        'expected: new',
        'found:    old',
        `To write the file: ${command}`,
      ]);
      expect(readFileSync(file, 'utf8')).toBe('first\n\nold\n');
    },
  );

  it.each([
    ['a line too many', 'a', 'a\nb', 'expected: the end of the file', 'found:    b'],
    ['a line too few', 'a\nb', 'a', 'expected: b', 'found:    the end of the file'],
  ])('with %s', (_name, page, now, ...sides) => {
    expect(difference('docs/a.md', page, now).split('\n').slice(1, 3)).toEqual(sides);
  });

  it('has sections between comments', () => {
    const text = 'a\n<!-- t -->\nold\n<!-- /t -->\nb\n';
    expect(withSection(text, 't', 'new')).toBe('a\n<!-- t -->\n\nnew\n\n<!-- /t -->\nb\n');
    expect(() => withSection(text, 'other', 'new')).toThrow(
      'expected <!-- other --> and <!-- /other --> in the page',
    );
  });
});
