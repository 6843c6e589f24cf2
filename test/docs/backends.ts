import { backends } from '../../src/backends/registry.ts';
import { categories } from '../../src/categories/registry.ts';

const places = { worker: 'a worker process', host: 'your process' } as const;

/** The table of the categories that each backend runs. */
export function writeBackendTable(): string {
  const rows = [...categories.values()].map((category) => [
    category.name,
    ...backends.map((backend) => (backend.runs(category) ? 'yes' : '–')),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['Category', ...backends.map(({ spelling }) => `\`${spelling}\``)]),
    line(['---', ...backends.map(() => '---')]),
    ...rows.map(line),
    line(['it works in', ...backends.map(({ place }) => places[place])]),
  ].join('\n');
}
