import { it } from 'vitest';
import { templateProbes } from '../../src/folder/template-probes.ts';
import { expectPage, withSection } from './generated-page.ts';

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
  return expectPage('docs/guides/real-models.md', (now) => withSection(now, 'turns', table));
});
