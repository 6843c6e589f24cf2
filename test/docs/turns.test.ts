import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { templateProbes } from '../../src/folder/template-probes.ts';

const page = new URL('../../docs/guides/real-models.md', import.meta.url);
const [start, end] = ['<!-- turns -->', '<!-- /turns -->'];

it('real-models.md has every kind of turns that templates are tried with', () => {
  const rows = [
    ['kind', 'turns', 'merged'],
    ...templateProbes.map(({ kind, title, merged }) => [`\`${kind}\``, title, merged]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  const table = [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
  const text = readFileSync(page, 'utf8');
  const written = `${text.slice(0, text.indexOf(start))}${start}\n\n${table}\n\n${text.slice(text.indexOf(end))}`;
  if (process.env['UPDATE_DOCS']) writeFileSync(page, written);
  else expect(text).toBe(written);
});
