import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Whether tests write generated files in place of comparing them. */
export const updatesPages = process.env['UPDATE_DOCS'] === '1';

/** The command that writes what the running test file compares. */
export function updateCommand(): string {
  return `UPDATE_DOCS=1 npx vitest run ${relative(root, expect.getState().testPath!)}`;
}

/**
 * Fails unless a generated file is as the code has it now; writes the file if `UPDATE_DOCS=1`.
 *
 * @param path from the root of the repository
 * @param write makes the text, which Prettier then formats, from the present one
 */
export async function expectPage(path: string, write: (now: string) => string): Promise<void> {
  const file = join(root, path);
  const now = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const page = await format(write(now), { ...(await resolveConfig(file)), filepath: file });
  if (page === now) return;
  if (!updatesPages) expect.fail(difference(path, page, now));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
}

/** Names the first line that differs, and the command that writes the page. */
export function difference(path: string, page: string, now: string): string {
  const [expected, found] = [page.split('\n'), now.split('\n')];
  const at = expected.findIndex((line, index) => line !== found[index]);
  const line = at < 0 ? expected.length : at;
  return [
    `${path} is not what the code makes. The first difference is in line ${line + 1}:`,
    `expected: ${expected[line] ?? 'the end of the file'}`,
    `found:    ${found[line] ?? 'the end of the file'}`,
    `To write the file: ${updateCommand()}`,
  ].join('\n');
}

/** The text with the part between `<!-- name -->` and `<!-- /name -->` replaced. */
export function withSection(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) expect.fail(`expected ${start} and ${end} in the page`);
  return `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`;
}
