// Draws what each sampler keeps of two made-up distributions, with the functions of slashv1/sampling themselves.
// Usage: node docs/guides/sampling/plots.js, which writes the SVG files beside it.
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  applyDynamicTemperature,
  applyMinP,
  applyPenalties,
  applyTailFree,
  applyTemperature,
  applyTopK,
  applyTopNSigma,
  applyTopP,
  applyTypicalP,
  applyXtc,
  candidatesFrom,
  createMirostat,
  probabilities,
} from 'slashv1/sampling';

/** @typedef {import('slashv1/sampling').Candidates} Candidates */
/** @typedef {{ readonly title: string, readonly words: readonly string[], readonly logits: readonly number[] }} Distribution */
/** @typedef {{ readonly title: string, readonly apply: (candidates: Candidates) => Candidates }} Panel */

/** What has been said so far, where a plot is about penalties: the most likely word three times, the third once. */
const history = [0, 2, 0, 0];

// Probabilities, which need not sum to 1, become logits around those that models have.
const distributions = [
  {
    title: 'sure: “The sky is …”',
    words: ['blue', 'clear', 'grey', 'dark', 'the', 'full', 'bright', 'red', 'not', 'falling', 'a', 'green'],
    shares: [0.62, 0.13, 0.08, 0.05, 0.04, 0.03, 0.02, 0.012, 0.008, 0.005, 0.003, 0.002],
  },
  {
    title: 'unsure: “I met a …”',
    words: ['man', 'woman', 'friend', 'girl', 'dog', 'boy', 'cat', 'horse', 'fox', 'king', 'ghost', 'comma'],
    shares: [0.15, 0.14, 0.125, 0.115, 0.105, 0.095, 0.085, 0.07, 0.055, 0.035, 0.02, 0.005],
  },
].map(({ title, words, shares }) => ({ title, words, logits: shares.map((share) => 12 + Math.log(share)) }));

/** @type {(mode: 1 | 2, tau: number) => Panel['apply']} */
const firstStepOfMirostat = (mode, tau) => (candidates) =>
  createMirostat({
    mirostatMode: mode,
    mirostatTau: tau,
    mirostatEta: 0.1,
    vocabularySize: candidates.size,
  }).apply(candidates);

/**
 * @param {readonly number[]} values
 * @param {string} name
 * @param {(candidates: Candidates, value: number) => Candidates} apply
 */
const panels = (name, values, apply) =>
  values.map((value) => ({
    title: `${name} ${value}`,
    apply: (/** @type {Candidates} */ candidates) => apply(candidates, value),
  }));

/** File name → its three panels. @type {Readonly<Record<string, readonly Panel[]>>} */
const plots = {
  temperature: panels('temperature', [0.3, 0.7, 1.5], applyTemperature),
  'top-k': panels('top_k', [2, 5, 9], applyTopK),
  'top-p': panels('top_p', [0.5, 0.8, 0.95], applyTopP),
  'min-p': panels('min_p', [0.05, 0.2, 0.6], applyMinP),
  'typical-p': panels('typical_p', [0.2, 0.5, 0.9], applyTypicalP),
  'tail-free': panels('tfs_z', [0.3, 0.8, 0.95], applyTailFree),
  'top-n-sigma': panels('top_n_sigma', [0.5, 1, 2], applyTopNSigma),
  xtc: panels('xtc_threshold', [0.05, 0.1, 0.15], (candidates, threshold) =>
    applyXtc(candidates, { xtcProbability: 1, xtcThreshold: threshold }, 0),
  ),
  'dynamic-temperature': panels('dynatemp_range', [0, 0.5, 1], (candidates, range) =>
    applyDynamicTemperature(candidates, { temperature: 1, dynatempRange: range, dynatempExponent: 1 }),
  ),
  'mirostat-1': panels('mirostat_tau', [1, 2, 3], (candidates, tau) =>
    firstStepOfMirostat(1, tau)(candidates),
  ),
  'mirostat-2': panels('mirostat_tau', [1, 1.5, 2], (candidates, tau) =>
    firstStepOfMirostat(2, tau)(candidates),
  ),
  penalties: [
    ...panels('repeat_penalty', [1.1], (candidates, repeatPenalty) =>
      applyPenalties(candidates, history, { repeatPenalty }),
    ),
    ...panels('frequency_penalty', [0.5], (candidates, frequencyPenalty) =>
      applyPenalties(candidates, history, { frequencyPenalty }),
    ),
    ...panels('presence_penalty', [0.5], (candidates, presencePenalty) =>
      applyPenalties(candidates, history, { presencePenalty }),
    ),
  ],
};

const row = { height: 17, bar: 11 };
const panel = { width: 232, words: 54, bars: 124, gap: 8 };
const margin = { left: 12, top: 30, block: 26 };
const width = margin.left * 2 + panel.width * 3 + panel.gap * 2;
const blockHeight = margin.block + row.height * 12;
const height = margin.top + 2 * blockHeight + 34;

// The same file is read on white and on black.
const style = `
  text { font: 11px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 12px }
  .dropped { fill: #848d97 }
  .before { fill: none; stroke: #848d97 }
  .after { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .dropped { fill: #7d8590 }
    .before { stroke: #7d8590 }
    .after { fill: #4493f8 }
  }`;

/** @type {(share: number) => string} */
const percent = (share) => (share < 0.0005 ? '&lt; 0.1 %' : `${short(share * 100)} %`);

/** @type {(value: number) => string} */
const short = (value) => String(Math.round(value * 10) / 10);

/**
 * @param {Distribution} distribution
 * @param {Panel['apply']} apply
 * @param {{ readonly x: number, readonly y: number }} at
 */
function drawPanel({ words, logits }, apply, { x, y }) {
  const before = probabilities(candidatesFrom(logits));
  const kept = apply(candidatesFrom(logits));
  const after = new Map(Array.from(probabilities(kept), (share, index) => [kept.tokens[index], share]));
  const rows = words.map((word, token) => {
    const top = y + token * row.height;
    const share = after.get(token);
    const length = (/** @type {number} */ probability) => short(probability * panel.bars);
    const filled =
      share === undefined
        ? ''
        : `<rect class="after" x="${x + panel.words}" y="${top}" width="${length(share)}" height="${row.bar}"/>`;
    const outline = `<rect class="before" x="${x + panel.words}" y="${top}" width="${length(before[token] ?? 0)}" height="${row.bar}"/>`;
    const longest = Math.max(share ?? 0, before[token] ?? 0) * panel.bars;
    const label = `<text ${share === undefined ? 'class="dropped" ' : ''}x="${short(x + panel.words + longest + 5)}" y="${top + 9.5}">${share === undefined ? '–' : percent(share)}</text>`;
    return `<text ${share === undefined ? 'class="dropped" ' : ''}x="${x + panel.words - 6}" y="${top + 9.5}" text-anchor="end">${word}</text>${filled}${outline}${label}`;
  });
  return rows.join('\n');
}

/**
 * Draws every plot.
 *
 * @returns {Map<string, string>} name of the file → SVG
 */
export function drawPlots() {
  return new Map(Object.entries(plots).map(([name, chosen]) => [`${name}.svg`, drawPlot(name, chosen)]));
}

/** @type {(name: string, chosen: readonly Panel[]) => string} */
function drawPlot(name, chosen) {
  const parts = chosen.map(({ title, apply }, column) => {
    const x = margin.left + column * (panel.width + panel.gap);
    const heading = `<text class="title" x="${x + panel.words}" y="18">${title}</text>`;
    const drawn = distributions.map((distribution, index) =>
      drawPanel(distribution, apply, { x, y: margin.top + index * blockHeight + margin.block }),
    );
    return [heading, ...drawn].join('\n');
  });
  const titles = distributions.map(
    ({ title }, index) =>
      `<text class="title" x="${margin.left}" y="${margin.top + index * blockHeight + 14}">${title}</text>`,
  );
  const legend = `<text class="dropped" x="${margin.left}" y="${height - 8}">outlined: before, filled: after; – is dropped</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What ${name} does to two distributions">
<style>${style}
</style>
${[...titles, ...parts, legend].join('\n')}
</svg>
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [name, svg] of drawPlots()) await writeFile(new URL(name, import.meta.url), svg);
}
