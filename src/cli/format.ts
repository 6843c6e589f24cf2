/** `1.2 GB`; powers of ten, as for disks. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${unit === 0 ? amount : amount.toFixed(amount < 10 ? 1 : 0)} ${units[unit]}`;
}

/** `134 M`, `1.2 B`: numbers of parameters. */
export function formatCount(count: number): string {
  if (count < 1e6) return count < 1e3 ? String(count) : `${(count / 1e3).toFixed(0)} k`;
  return count < 1e9 ? `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)} M` : `${(count / 1e9).toFixed(1)} B`;
}

/** `0.4 s`, `2 min 5 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** `just now`, `5 hours ago`, `yesterday`. */
export function formatAge(then: Date, now: Date): string {
  const seconds = (now.getTime() - then.getTime()) / 1000;
  if (seconds < 60) return 'just now';
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute');
  if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3600), 'hour');
  return relative.format(-Math.floor(seconds / 86_400), 'day');
}

/** At most four significant digits, without an exponent. */
export function formatNumber(value: number): string {
  if (value === 0 || Math.abs(value) >= 1000) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4);
}

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
