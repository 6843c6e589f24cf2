// Draws the results of compare.js as SVG files: node benchmarks/peers/plot.js results.json FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawBars } from '../../dist/benchmarks/bench/bar-chart.js';
import { median } from '../measure.js';

const [file, folder] = process.argv.slice(2);
if (file === undefined || folder === undefined) throw new Error('Usage: node plot.js results.json FOLDER');
const { results } = JSON.parse(readFileSync(file, 'utf8'));
const series = Object.keys(results);

/**
 * @param {string} name of the file
 * @param {{ title: string, unit: string, part: 'contexts' | 'streams', label: string, key: string, quantity: string }} chart
 */
function draw(name, { title, unit, part, label, key, quantity }) {
  const cells = /** @type {any[]} */ (results[/** @type {string} */ (series[0])][0][part]);
  const groups = cells.map((cell, index) => ({
    label: `${label} ${cell[key]}`,
    values: series.map((peer) =>
      median(results[peer].flatMap((/** @type {any} */ run) => run[part][index][quantity])),
    ),
  }));
  writeFileSync(join(folder ?? '', `${name}.svg`), drawBars({ title, unit, series, groups }));
}

mkdirSync(folder, { recursive: true });
draw('per-token', {
  title: 'Time per token',
  unit: 'ms',
  part: 'contexts',
  label: 'context',
  key: 'context',
  quantity: 'tokenMs',
});
draw('first-token', {
  title: 'Time to the first token',
  unit: 'ms',
  part: 'contexts',
  label: 'context',
  key: 'context',
  quantity: 'firstTokenMs',
});
draw('streams', {
  title: 'All streams',
  unit: 'tokens/s',
  part: 'streams',
  label: 'streams',
  key: 'streams',
  quantity: 'tokensPerSecond',
});
