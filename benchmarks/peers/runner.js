/** What the runners share that are written in JavaScript: options, prompts, the measurement, the line of results. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { descendantsOf, readPeakBytes } from '../../dist/src/cli/bench/bench-command.js';

/**
 * @typedef {object} Request
 * @property {number} length tokens of the prompt
 * @property {number} seed no two prompts of a run begin alike, so that no cached prefix helps
 *
 * @typedef {object} Engine
 * @property {string} version
 * @property {string} model
 * @property {(requests: readonly Request[], tokens: number, onFirstToken: () => void) => Promise<void>} generate
 *   answers the requests at the same time with so many greedy tokens each, and says when one has its first token
 * @property {(lengths: readonly number[]) => Promise<void>} [prepare] learns how to make prompts of these lengths
 * @property {() => Promise<void>} close
 *
 * @typedef {ReturnType<typeof readOptions>} RunnerOptions
 */

/** Length of the prompts of several streams. */
const streamPrompt = 64;

/**
 * Measures a peer and prints one line of JSON.
 *
 * @param {string} peer
 * @param {(options: RunnerOptions) => Promise<Engine>} load
 */
export async function runPeer(peer, load) {
  const options = readOptions();
  const before = readUsage();
  const startedAt = performance.now();
  const engine = await load(options);
  const loadSeconds = (performance.now() - startedAt) / 1000;
  const loaded = readUsage();

  await engine.prepare?.([streamPrompt, ...options.contexts]);
  let seed = 0;
  /** @param {number} length */
  const request = (length) => ({ length, seed: ++seed });
  await engine.generate([request(streamPrompt)], 8, () => {});

  const measured = startClock();
  const contexts = [];
  for (const context of options.contexts) {
    const runs = await repeat(1, context);
    const steps = options.tokens - 1;
    contexts.push({
      context,
      firstTokenMs: runs.map(({ first }) => first.ms),
      firstTokenCpuMs: runs.map(({ first }) => first.cpuMs),
      tokenMs: runs.map(({ first, total }) => (total.ms - first.ms) / steps),
      tokenCpuMs: runs.map(({ first, total }) => (total.cpuMs - first.cpuMs) / steps),
    });
  }
  const streams = [];
  for (const count of options.streams) {
    const runs = await repeat(count, streamPrompt);
    const tokens = count * options.tokens;
    streams.push({
      streams: count,
      lastFirstTokenMs: runs.map(({ first }) => first.ms),
      tokensPerSecond: runs.map(({ total }) => (tokens * 1000) / total.ms),
      tokenCpuMs: runs.map(({ total }) => total.cpuMs / tokens),
    });
  }
  const total = measured();
  const result = {
    peer,
    version: engine.version,
    model: engine.model,
    device: options.device,
    threads: options.threads,
    spinning: options.spinning,
    load: {
      seconds: loadSeconds,
      cpuSeconds: loaded.cpuSeconds - before.cpuSeconds,
      peakMegabytes: loaded.peakBytes / 1e6,
    },
    peakMegabytes: readUsage().peakBytes / 1e6,
    busyProcessors: total.cpuMs / total.ms,
    contexts,
    streams,
  };
  await engine.close();
  console.log(JSON.stringify(result));

  /**
   * @param {number} count of requests at the same time
   * @param {number} length of each prompt
   */
  async function repeat(count, length) {
    const runs = [];
    for (let repetition = 0; repetition < options.repetitions; repetition++) {
      const requests = Array.from({ length: count }, () => request(length));
      const clock = startClock();
      let first = clock();
      await engine.generate(requests, options.tokens, () => (first = clock()));
      runs.push({ first, total: clock() });
    }
    return runs;
  }
}

/** @returns {() => { ms: number, cpuMs: number }} time and processor time since the call */
export function startClock() {
  const startedAt = performance.now();
  const before = readUsage().cpuSeconds;
  return () => ({
    ms: performance.now() - startedAt,
    cpuMs: (readUsage().cpuSeconds - before) * 1000,
  });
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' },
      device: { type: 'string', default: 'cpu' },
      threads: { type: 'string', default: '2' },
      contexts: { type: 'string', default: '128,1024,2000' },
      streams: { type: 'string', default: '1,4,8' },
      tokens: { type: 'string', default: '32' },
      repetitions: { type: 'string', default: '3' },
      spinning: { type: 'string', default: 'default' },
      'node-modules': { type: 'string' },
    },
  });
  if (values.model === undefined) throw new Error('--model: expected a folder or a file');
  if (values.spinning !== 'default' && values.spinning !== 'off')
    throw new Error(`--spinning: expected default or off, got ${values.spinning}`);
  /** @param {string} list */
  const numbers = (list) => list.split(',').filter(Boolean).map(Number);
  return {
    model: values.model,
    device: values.device,
    threads: Number(values.threads),
    contexts: numbers(values.contexts),
    streams: numbers(values.streams),
    tokens: Number(values.tokens),
    repetitions: Number(values.repetitions),
    spinning: values.spinning,
    nodeModules: values['node-modules'],
  };
}

/**
 * The same tokens for every peer that takes tokens.
 *
 * @param {Request} request
 */
export function promptTokens({ length, seed }) {
  return Array.from({ length }, (_, index) => 1000 + (((index + 1) * 7919 + seed * 104_729) % 39_000));
}

const ticksPerSecond = 100;

/** Processor time and memory of this process and, on Linux, of all processes that it started and that still run. */
function readUsage() {
  const { user, system } = process.cpuUsage();
  const others = process.platform === 'linux' ? descendantsOf(process.pid) : [];
  const cpuSeconds = others.reduce((total, id) => total + cpuSecondsOf(id), (user + system) / 1e6);
  return { cpuSeconds, peakBytes: readPeakBytes() };
}

/** @param {number} id */
function cpuSecondsOf(id) {
  const statistics = readFileSync(`/proc/${id}/stat`, 'utf8');
  // The fields after the name, which is in parentheses and may have spaces: 11 and 12 are the user and system time.
  const fields = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
