/** The title of a column; numbers are right-aligned. */
export type Column = string | { readonly right: string };

/** Renders rows under titles, without trailing spaces. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: (text: string) => string,
): string {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column.right));
  const widths = titles.map((_, index) => Math.max(...[titles, ...rows].map((row) => row[index]!.length)));
  const align = (cell: string, index: number): string =>
    typeof columns[index] === 'string' ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!);
  const toLine = (cells: readonly string[]): string => cells.map(align).join('  ').trimEnd();
  return [paint(toLine(titles)), ...rows.map(toLine)].join('\n');
}
