import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './code-blocks.ts';

const page = readFileSync(join(root, 'docs/guides/testing.md'), 'utf8');

/** Names of the fields of an interface, from its source. */
function fieldsOf(file: string, name: string): string[] {
  const source = readFileSync(join(root, 'src/testing', file), 'utf8');
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([^]*?)\\n\\}`).exec(source)![1]!;
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?(<:]/gm)].map(([, field]) => field!);
}

it.each([
  ['option', 'fake-inference.ts', 'FakeInferenceOptions'],
  ['field of a reply', 'fake-chat.ts', 'FakeReply'],
  ['property', 'fake-inference.ts', 'FakeInference'],
])('docs/guides/testing.md has a row for every %s', (_kind, file, name) => {
  const fields = fieldsOf(file, name);
  expect(fields.length).toBeGreaterThan(4);
  const rows = new Set([...page.matchAll(/^\| `(\w+)[(`]/gm)].map(([, field]) => field));
  expect(fields.filter((field) => !rows.has(field))).toEqual([]);
});
