// Samplers against one scan for the maximum, side by side: `npm run build && node benchmarks/sampling.js`.
// CPU time, so that other work on the machine counts little.
import { cpus } from 'node:os';
import { createRng, createSampler } from 'slashv1/sampling';

const vocabularySize = 151_936;
const rounds = 15;
const callsPerRound = 20;
const rng = createRng(1);

function gaussian() {
  return Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
}

/** @param {(token: number) => number} logitOf */
function logitsOf(logitOf) {
  return Float32Array.from({ length: vocabularySize }, (_, token) => logitOf(token));
}

function shuffledRanks() {
  const ranks = Uint32Array.from({ length: vocabularySize }, (_, rank) => rank + 1);
  for (let i = vocabularySize - 1; i > 0; i--) {
    const j = Math.floor(rng.next() * (i + 1));
    [ranks[i], ranks[j]] = [ranks[j] ?? 0, ranks[i] ?? 0];
  }
  return ranks;
}

const ranks = shuffledRanks();
const distributions = {
  /** One token has nearly everything. */
  peaked: logitsOf((token) => gaussian() * 2 + (token === 70_000 ? 25 : 0)),
  /** Zipf's law over shuffled tokens, and noise. */
  realistic: logitsOf((token) => -1.2 * Math.log(ranks[token] ?? 1) + gaussian() * 0.5),
  /** No token is more than e times as likely as another: every one survives. */
  flat: logitsOf(() => rng.next()),
  /** Each token is a little more likely than the one before: every one is a new maximum. */
  ascending: logitsOf((token) => token / 10_000),
};

const neutral = { temperature: 1, repeatPenalty: 1, minP: 0 };
const samplers = {
  'default chain': {},
  'chat chain (top_k 40, top_p 0.95)': { topK: 40, topP: 0.95 },
  greedy: { temperature: 0 },
  'penalties only': { ...neutral, repeatPenalty: 1.1, frequencyPenalty: 0.5, presencePenalty: 0.5 },
  'temperature only': { ...neutral, temperature: 0.7 },
  'top_k 40': { ...neutral, topK: 40 },
  'top_k 500': { ...neutral, topK: 500 },
  'top_p 0.95': { ...neutral, topP: 0.95 },
  'min_p 0.05': { ...neutral, minP: 0.05 },
  'typical_p 0.9': { ...neutral, typicalP: 0.9 },
  'tfs_z 0.95': { ...neutral, tfsZ: 0.95 },
  'mirostat 1': { ...neutral, mirostatMode: 1 },
  'mirostat 2': { ...neutral, mirostatMode: 2 },
};

/** @param {Float32Array} logits */
function scan(logits) {
  let first = -Infinity;
  let second = -Infinity;
  let third = -Infinity;
  let fourth = -Infinity;
  const end = logits.length & ~3; // all of them; told this way, V8 checks bounds less often
  for (let i = 0; i < end; i += 4) {
    const a = /** @type {number} */ (logits[i]);
    const b = /** @type {number} */ (logits[i + 1]);
    const c = /** @type {number} */ (logits[i + 2]);
    const d = /** @type {number} */ (logits[i + 3]);
    if (a > first) first = a;
    if (b > second) second = b;
    if (c > third) third = c;
    if (d > fourth) fourth = d;
  }
  return Math.max(first, second, third, fourth);
}

/** @param {keyof typeof samplers} name */
function tokenOf(name) {
  const sampler = createSampler(samplers[name], { vocabularySize, seed: 7 });
  for (let i = 0; i < 64; i++) sampler.accept(Math.floor(rng.next() * vocabularySize));
  return (/** @type {Float32Array} */ logits) => {
    const token = sampler.sample(logits);
    sampler.accept(token);
    return token;
  };
}

/** @type {[string, (logits: Float32Array) => number][]} */
const contestants = [['scan', scan]];
for (const name of Object.keys(samplers)) {
  contestants.push([name, tokenOf(/** @type {keyof typeof samplers} */ (name))]);
}

/** @type {Map<string, number[]>} */
const times = new Map();
let checksum = 0;
for (let round = -2; round < rounds; round++) {
  for (const [distribution, logits] of Object.entries(distributions)) {
    for (const [name, run] of contestants.toSorted(() => rng.next() - 0.5)) {
      checksum += run(logits);
      const start = process.cpuUsage();
      for (let call = 0; call < callsPerRound; call++) checksum += run(logits);
      const { user, system } = process.cpuUsage(start);
      const milliseconds = (user + system) / 1000 / callsPerRound;
      if (round < 0) continue; // warm-up
      const key = `${distribution}/${name}`;
      times.set(key, [...(times.get(key) ?? []), milliseconds]);
    }
  }
}

/** @param {string} key */
function median(key) {
  const sorted = (times.get(key) ?? []).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

console.log(
  `vocabulary ${vocabularySize}, Node ${process.version}, ${cpus()[0]?.model}, median of ${rounds} rounds`,
);
console.log(
  'CPU ms (times the scan)'.padEnd(36),
  ...Object.keys(distributions).map((name) => name.padStart(18)),
);
for (const [name] of contestants) {
  const columns = Object.keys(distributions).map((distribution) => {
    const milliseconds = median(`${distribution}/${name}`);
    const ratio = milliseconds / median(`${distribution}/scan`);
    return `${milliseconds.toFixed(3)} (${ratio.toFixed(1)})`.padStart(18);
  });
  console.log(name.padEnd(36), ...columns);
}

for (const name of /** @type {const} */ ([
  'default chain',
  'chat chain (top_k 40, top_p 0.95)',
  'top_p 0.95',
  'tfs_z 0.95',
])) {
  const run = tokenOf(name);
  const tokens = 1000;
  for (let i = 0; i < 100; i++) checksum += run(distributions.realistic);
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < tokens; i++) checksum += run(distributions.realistic);
  const bytes = (process.memoryUsage().heapUsed - before) / tokens;
  console.log(`${name}: heap grows by ${bytes.toFixed(0)} bytes a token over ${tokens} tokens`);
}
console.log(`checksum ${checksum}`);
