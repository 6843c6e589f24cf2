export interface Column {
  readonly title: string;
  /** Numbers read better with their ends in line. */
  readonly align?: 'left' | 'right';
}

/** Sets rows under titles, without trailing spaces. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: (text: string) => string,
): string {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]!.length)),
  );
  const toLine = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        columns[index]!.align === 'right' ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!),
      )
      .join('  ')
      .trimEnd();
  return [paint(toLine(columns.map(({ title }) => title))), ...rows.map(toLine)].join('\n');
}
