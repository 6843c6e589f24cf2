import { expect, it } from 'vitest';
import { drawBars } from '../../../benchmarks/bench/bar-chart.ts';

it('draws a bar for each value, as high as it is, and none where there is none', () => {
  const chart = { title: 'a < b', unit: 'ms', series: ['x', 'y'] };
  const svg = drawBars({
    ...chart,
    groups: [
      { label: 'g', values: [40, 80] },
      { label: 'h', values: [undefined, 20] },
    ],
  });
  const heights = [...svg.matchAll(/<rect x="[\d.]+" y="[\d.]+" width="[\d.]+" height="([\d.]+)"/g)].map(
    (match) => Number(match[1]),
  );
  const bars = heights.filter((height) => height !== 10);
  expect(bars).toHaveLength(3);
  expect(bars[1]! / bars[0]!).toBeCloseTo(2);
  expect(bars[0]! / bars[2]!).toBeCloseTo(2);
  expect(svg).toContain('a &lt; b, ms');
});

it('draws no bars for no values', () => {
  expect(drawBars({ title: '', unit: '', series: ['x'], groups: [] })).toMatch(/^<svg/);
});
