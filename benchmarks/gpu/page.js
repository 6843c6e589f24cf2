/** The page of `npm run bench:gpu`: findings, tables and plots of one report. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawBars } from '../../dist/benchmarks/bench/bar-chart.js';
import { formatNumber, formatSeconds } from '../../dist/src/cli/format.js';
import { median } from '../measure.js';

/**
 * @typedef {import('../../dist/benchmarks/bench/results.js').LoadReport} LoadReport
 *
 * @typedef {object} Result of a part
 * @property {import('./parts.js').Part['kind']} kind
 * @property {string} model
 * @property {string} category
 * @property {string} device
 * @property {string | undefined} fault
 * @property {number} seconds
 * @property {readonly import('./answers.js').Difference[]} [differences]
 * @property {readonly LoadReport[]} [runs]
 * @property {Record<string, any[]>} [peers] name → results of rounds
 *
 * @typedef {object} Report
 * @property {string} date
 * @property {import('../../dist/benchmarks/bench/machine.js').Machine} machine
 * @property {Record<string, unknown>} options
 * @property {number} elapsedSeconds
 * @property {readonly string[]} order
 * @property {readonly { name: string, state: string, detail: string }[]} devices
 * @property {readonly string[]} refused folders that aren't models, and why
 * @property {readonly Result[]} results
 */

/** @param {number | undefined} value */
const cell = (value) => (value === undefined || Number.isNaN(value) ? '' : formatNumber(value));

/** @param {LoadReport | undefined} run @param {string[]} names of the first of them that was measured */
const measured = (run, ...names) => {
  const found = run?.measurements.find(({ name }) => names.includes(name));
  return found?.p50 ?? found?.overall;
};

/** The names that categories give the time of a whole request. */
const wholeRequest = ['request', 'picture', 'whole'];

/** @param {readonly string[]} titles @param {readonly (readonly (string | undefined)[])[]} rows */
function table(titles, rows) {
  if (rows.length === 0) return 'Nothing was measured.\n';
  const line = (/** @type {readonly (string | undefined)[]} */ cells) =>
    `| ${cells.map((text) => (text ?? '').replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(titles) + line(titles.map(() => '---')) + rows.map(line).join('');
}

/** The runs of a kind, each with the one of the CPU at the same point. @param {Report} report @param {Result['kind']} kind */
function runsOf({ results }, kind) {
  const all = results.filter((result) => result.kind === kind);
  return all.flatMap(({ model, category, device, runs = [] }) =>
    runs.map((run) => {
      const others = all.find((one) => one.model === model && one.device === 'cpu')?.runs ?? [];
      const { promptTokens, concurrency } = run;
      const cpu = others.find((one) => one.promptTokens === promptTokens && one.concurrency === concurrency);
      return { model, category, device, run, cpu };
    }),
  );
}

/** @type {{ kind: Result['kind'], title: string, unit: string, quantity: string[], label: (run: LoadReport) => string }[]} */
const charts = [
  {
    kind: 'decode',
    title: 'Time per token',
    unit: 'ms',
    quantity: ['per token'],
    label: ({ promptTokens }) => `context ${promptTokens}`,
  },
  {
    kind: 'decode',
    title: 'Time to the first token',
    unit: 'ms',
    quantity: ['time to first token'],
    label: ({ promptTokens }) => `context ${promptTokens}`,
  },
  {
    kind: 'streams',
    title: 'All streams',
    unit: 'tokens/s',
    quantity: ['all streams'],
    label: ({ concurrency }) => `streams ${concurrency}`,
  },
  {
    kind: 'speed',
    title: 'Time of a request',
    unit: 'ms',
    quantity: wholeRequest,
    label: ({ category }) => category,
  },
];

/**
 * Draws the report as SVG files.
 *
 * @param {Report} report
 * @param {string} output
 * @returns {string[]} their paths in the output
 */
export function writePlots(report, output) {
  mkdirSync(join(output, 'plots'), { recursive: true });
  /** @type {string[]} */
  const paths = [];
  /** @param {string} name @param {import('../../dist/benchmarks/bench/bar-chart.js').BarChart} chart */
  const draw = (name, chart) => {
    paths.push(`plots/${name}.svg`);
    writeFileSync(join(output, 'plots', `${name}.svg`), drawBars(chart));
  };
  for (const { kind, unit, title, label, quantity } of charts) {
    const runs = runsOf(report, kind);
    for (const model of new Set(runs.map((one) => one.model))) {
      const own = runs.filter((one) => one.model === model);
      const series = [...new Set(own.map(({ device }) => device))];
      const groups = [...new Set(own.map(({ run }) => label(run)))].map((point) => ({
        label: point,
        values: series.map((device) =>
          measured(own.find((one) => one.device === device && label(one.run) === point)?.run, ...quantity),
        ),
      }));
      draw(`${quantity[0]?.replaceAll(' ', '-')}-${model}`, {
        title: `${title}, ${model}`,
        unit,
        series,
        groups,
      });
    }
  }
  const plot = fileURLToPath(new URL('../peers/plot.js', import.meta.url));
  for (const { kind, model, device, peers } of report.results) {
    if (kind !== 'peers' || Object.keys(peers ?? {}).length === 0) continue;
    const folder = `plots/peers-${model}-${device}`;
    const file = join(output, 'parts', `peers-${model}-${device}.json`);
    execFileSync(process.execPath, [plot, file, join(output, folder)]);
    paths.push(...['per-token', 'first-token', 'streams'].map((name) => `${folder}/${name}.svg`));
  }
  return paths;
}

/**
 * Writes the page as Markdown, and as HTML where `marked` is installed.
 *
 * @param {Report} report
 * @param {readonly string[]} plots
 * @param {string} output
 */
export async function renderPage(report, plots, output) {
  const { machine, results, devices, elapsedSeconds, options, order, date } = report;
  const { gpus, processor, processors, platform, versions } = machine;
  const differing = results.flatMap(({ model, device, differences = [] }) =>
    differences
      .filter(({ apart, tolerance }) => !(apart <= tolerance))
      .map(
        ({ quantity, apart, tolerance, detail }) =>
          `${model} on ${device} answers otherwise than on cpu: ${quantity} ${cell(apart)} apart, at most ${tolerance} expected (${detail}).`,
      ),
  );
  const faults = results.flatMap(({ kind, model, device, fault }) =>
    (fault?.split('\n') ?? []).map((one) => `${kind}, ${model} on ${device}: ${one.slice(0, 300)}`),
  );
  const list = (/** @type {readonly string[]} */ items) =>
    items.length === 0 ? '- None.\n' : items.map((item) => `- ${item}\n`).join('');
  const compared = results.flatMap(({ model, device, differences = [] }) =>
    differences.map(({ quantity, apart, tolerance, detail }) => [
      model,
      device,
      quantity,
      detail,
      Number.isFinite(apart) ? String(Number(apart.toPrecision(2))) : 'other lengths',
      String(tolerance),
      apart <= tolerance ? 'yes' : '**no**',
    ]),
  );
  const bus = (/** @type {LoadReport} */ run) => cell(measured(run, 'over the bus per row and step'));
  const ratio = (/** @type {number | undefined} */ value, /** @type {number | undefined} */ base) =>
    value === undefined || base === undefined ? '' : `${cell(value / base)} ×`;
  /** @param {ReturnType<typeof runsOf>[number]} one @param {string[]} names */
  const beside = ({ run, cpu }, ...names) => ratio(measured(run, ...names), measured(cpu, ...names));
  const page = [
    `# ${gpus.join(', ') || 'No graphics card by name'}, ${processor}\n`,
    `${date}, ${platform}, ${processors} processors, slashv1 ${versions.slashv1}, Node ${versions.node}, onnxruntime ${versions.onnxruntime}. ` +
      `The run took ${formatSeconds(elapsedSeconds)} of ${options['minutes']} minutes; models are from \`${options['models']}\`, or bundled. Times are medians.\n`,
    '## Differences from the CPU\n',
    list(differing),
    '## What failed or was left out\n',
    `The order is: ${order.join('; ')}. A part that ran into its limit keeps what it measured by then.\n`,
    list([...report.refused, ...faults]),
    '## Devices\n',
    table(
      ['device', 'works', ''],
      devices.map(({ name, state, detail }) => [name, state === 'ok' ? 'yes' : 'no', detail]),
    ),
    '## Answers beside the CPU\n',
    table(['model', 'device', 'what', 'compared', 'apart', 'tolerance', 'within'], compared),
    '## Decoding and reading prompts\n',
    table(
      [
        'model',
        'prompt',
        'device',
        'ms per token',
        '× cpu',
        'ms to the first token',
        '× cpu',
        'prompt, tokens/s',
        'bytes over the bus per row and step',
      ],
      runsOf(report, 'decode').map((one) => [
        one.model,
        cell(measured(one.run, 'prompt')),
        one.device,
        cell(measured(one.run, 'per token')),
        beside(one, 'per token'),
        cell(measured(one.run, 'time to first token')),
        beside(one, 'time to first token'),
        cell(measured(one.run, 'reading the prompt')),
        bus(one.run),
      ]),
    ),
    '## Streams\n',
    table(
      ['model', 'streams', 'device', 'tokens/s', '× cpu', 'bytes over the bus per row and step'],
      runsOf(report, 'streams').map((one) => [
        one.model,
        String(one.run.concurrency),
        one.device,
        cell(measured(one.run, 'all streams')),
        beside(one, 'all streams'),
        bus(one.run),
      ]),
    ),
    '## Other categories\n',
    table(
      ['model', 'category', 'device', 'ms per request', '× cpu', 'request'],
      runsOf(report, 'speed').map((one) => [
        one.model,
        one.category,
        one.device,
        cell(measured(one.run, ...wholeRequest)),
        beside(one, ...wholeRequest),
        one.run.description,
      ]),
    ),
    '## Other engines\n',
    table(
      [
        'model',
        'device',
        'engine',
        'version',
        'measured',
        'ms per token',
        'ms to the first token',
        'tokens/s',
      ],
      results.flatMap(({ model, device, peers = {} }) =>
        Object.entries(peers).flatMap(([engine, [round]]) =>
          [...round.contexts, ...round.streams].map((point) => [
            model,
            device,
            engine,
            round.version,
            point.context === undefined ? `${point.streams} streams` : `context ${point.context}`,
            point.tokenMs && cell(median(point.tokenMs)),
            cell(median(point.firstTokenMs ?? point.lastFirstTokenMs)),
            point.tokensPerSecond && cell(median(point.tokensPerSecond)),
          ]),
        ),
      ),
    ),
    '## Plots\n',
    plots.map((path) => `![${path}](${path})\n`).join('\n') || 'None.\n',
    '## Times of the parts\n',
    table(
      ['part', 'model', 'device', 'took'],
      results.map(({ kind, model, device, seconds }) => [kind, model, device, formatSeconds(seconds)]),
    ),
  ].join('\n');
  writeFileSync(join(output, 'README.md'), page);
  const marked = await import('marked').catch(() => undefined);
  if (!marked) return;
  const style = 'body{font-family:system-ui;margin:2em}td,th{padding:2px 8px;text-align:left}';
  writeFileSync(
    join(output, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>slashv1</title><style>${style}</style>${await marked.parse(page)}`,
  );
}
