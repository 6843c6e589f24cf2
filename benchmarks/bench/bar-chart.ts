import { formatNumber } from '../../src/cli/format.ts';

/** Bars in groups, one color for each series. */
export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly string[];
  readonly groups: readonly {
    readonly label: string;
    /** One for each series; `undefined` leaves its place empty. */
    readonly values: readonly (number | undefined)[];
  }[];
}

const size = { width: 720, height: 360, left: 64, right: 16, top: 64, bottom: 48 };
const colors = ['#2563eb', '#f59e0b', '#10b981', '#8b5cf6', '#ef4444', '#64748b'];

/**
 * Draws a bar chart as an SVG document that reads on light and dark pages.
 *
 * @example
 * ```ts
 * drawBars({ title: 'Speed', unit: 'tokens/s', series: ['a', 'b'], groups: [{ label: 'one stream', values: [40, 60] }] });
 * ```
 */
export function drawBars({ title, unit, series, groups }: BarChart): string {
  const plotWidth = size.width - size.left - size.right;
  const plotHeight = size.height - size.top - size.bottom;
  const base = size.top + plotHeight;
  const largest = Math.max(0, ...groups.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const most = roundUp(largest);
  const groupWidth = plotWidth / Math.max(1, groups.length);
  const barWidth = Math.min(56, (groupWidth * 0.8) / series.length);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = base - share * plotHeight;
    return (
      `<line x1="${size.left}" x2="${size.width - size.right}" y1="${y}" y2="${y}" stroke="#94a3b8" stroke-opacity="0.4"/>` +
      text(size.left - 8, y + 4, formatNumber(share * most), 'end')
    );
  });
  const bars = groups.flatMap(({ label, values }, group) => {
    const middle = size.left + (group + 0.5) * groupWidth;
    const start = middle - (barWidth * series.length) / 2;
    const drawn = values.map((value, index) => {
      if (value === undefined) return '';
      const height = most === 0 ? 0 : (value / most) * plotHeight;
      const x = start + index * barWidth;
      return (
        `<rect x="${x + 1}" y="${base - height}" width="${barWidth - 2}" height="${height}" fill="${colorOf(index)}"/>` +
        text(x + barWidth / 2, base - height - 5, formatNumber(value), 'middle', 10)
      );
    });
    return [...drawn, text(middle, base + 18, label, 'middle')];
  });
  const legend = series.map((name, index) => {
    const x = size.left + index * 150;
    return `<rect x="${x}" y="36" width="10" height="10" fill="${colorOf(index)}"/>${text(x + 16, 45, name, 'start')}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui, sans-serif" fill="#64748b">`,
    text(size.left, 22, `${title}, ${unit}`, 'start', 15),
    ...legend,
    ...ticks,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

const colorOf = (index: number): string => colors[index % colors.length]!;

function text(x: number, y: number, content: string, anchor: string, fontSize = 12): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${x}" y="${y}" font-size="${fontSize}" text-anchor="${anchor}">${escaped}</text>`;
}

/** The next number with one digit of 1, 2, 4, 5, 8 or 10, so that the quarters read well. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * [1, 2, 4, 5, 8, 10].find((digit) => digit * unit >= value)!;
}
