// Measures every device of this machine and compares its answers with the CPU's; docs/guides/gpu.md tells what to copy to such a machine.
// Usage: npm run bench:gpu -- --output FOLDER [--models FOLDER] [--minutes 10] [options]; npm run bench:gpu -- --prepare [--models FOLDER]
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { describeMachine } from '../../dist/benchmarks/bench/machine.js';
import { gatherFacts } from '../../dist/src/cli/models/model-facts.js';
import { describeModel } from '../../dist/src/loading/facts.js';
import { compareAnswers } from './answers.js';
import { renderPage, writePlots } from './page.js';
import { listParts, order } from './parts.js';

const stopped = 'stopped';
const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    output: { type: 'string' },
    models: { type: 'string', default: join(root, 'benchmarks/models/cache') },
    prepare: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    devices: { type: 'string' },
    contexts: { type: 'string', default: '128,1024,2000' },
    streams: { type: 'string', default: '1,4,8' },
    tokens: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '3' },
    'node-modules': { type: 'string' },
    python: { type: 'string' },
  },
});
const modelFolder = resolve(options.models);
const nodeModules = options['node-modules'] ?? join(modelFolder, 'llama/node_modules');
const python = options.python ?? join(modelFolder, 'environments/genai/bin/python');
const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error(`--minutes: expected a number above 0, got ${options.minutes}.`);
if (options.prepare) prepare();
else if (options.output === undefined) throw new Error('--output: expected a folder, got none.');
else await measure(resolve(options.output));

/** Makes models and installs other engines: the only step with a network. What fails is told and is missing later. */
function prepare() {
  const shapes = ['smollm2-135m', 'qwen2.5-0.5b'].flatMap((shape) =>
    ['-q4', '-gqa-int4', '.gguf'].map((form) => shape + form),
  );
  const builder = process.env['PYTHON'] ?? 'python3';
  /** @type {[string, string[]][]} */
  const steps = [
    [builder, ['benchmarks/models/build.py', '--output', modelFolder, ...shapes]],
    [process.execPath, ['test/real/prepare.js', 'whisper-base', 'minilm']],
    ['npm', ['install', '--prefix', join(modelFolder, 'llama'), 'node-llama-cpp']],
  ];
  const env = { ...process.env, SLASHV1_REAL_MODELS: modelFolder };
  for (const [program, args] of steps) {
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env });
    if (status !== 0) console.error(`Left out: ${program} ${args.join(' ')}`);
  }
}

/** @param {string} output */
async function measure(output) {
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  const leftMs = () => minutes * 60_000 - (performance.now() - startedAt);
  rmSync(join(output, 'parts'), { recursive: true, force: true });
  mkdirSync(join(output, 'parts'), { recursive: true });
  const devices = await tryDevices();
  const working = devices.filter(({ state }) => state === 'ok').map(({ name }) => name);
  const chosen = working.filter((name) => options.devices?.split(',').includes(name) ?? true);
  const { models, shapes, refused } = await findModels();
  const peerOptions = ['--node-modules', nodeModules, '--python', python];
  const parts = listParts({
    ...options,
    models,
    shapes,
    modelFolder,
    output,
    peerOptions,
    devices: [...new Set(['cpu', ...chosen])],
  });
  /** @type {import('./page.js').Result[]} */
  const results = [];
  const machine = await describeMachine();
  for (const part of parts) {
    const { command, ...about } = part;
    const label = `${part.kind}, ${part.model} on ${part.device}`;
    console.error(`${Math.round(elapsedSeconds())} s: ${label}`);
    const began = elapsedSeconds();
    const isSlow = results.some(
      ({ model, device, fault: earlier }) =>
        model === part.model && device === part.device && earlier?.startsWith(stopped),
    );
    const fault =
      leftMs() < 5000
        ? 'left out: no time was left'
        : isSlow
          ? 'left out: an earlier part of this model and device was stopped'
          : await runPart(command, leftMs());
    const result = { ...about, fault, seconds: elapsedSeconds() - began, ...readPart(part) };
    if (fault) console.error(`${label}: ${fault}`);
    results.push(result);
    const report = {
      format: 'slashv1-gpu-1',
      date: new Date().toISOString(),
      machine,
      options: { ...options, models: modelFolder },
      elapsedSeconds: elapsedSeconds(),
      order,
      devices,
      refused,
      results,
    };
    writeFileSync(join(output, 'results.json'), `${JSON.stringify(report, null, 2)}\n`);
    if (part === parts.at(-1)) await renderPage(report, writePlots(report, output), output);
  }
  console.error(`${Math.round(elapsedSeconds())} s: ${join(output, 'README.md')}`);
}

/** The devices, as `slashv1 doctor` tries them. */
async function tryDevices() {
  const doctor = [join(root, 'dist/lib/cli.js'), 'doctor', '--json'];
  /** @type {{ stdout: string }} also where something else needs repair */
  const { stdout } = await promisify(execFile)(process.execPath, doctor).catch((error) => error);
  /** @type {{ name: string, state: string, detail: string }[]} */
  const checks = JSON.parse(stdout);
  return checks
    .filter(({ name }) => name.startsWith('device '))
    .map((check) => ({ ...check, name: check.name.replace('device ', '') }));
}

/** Models of the folder, and a bundled one of each category that has none there. */
async function findModels() {
  const names = existsSync(modelFolder) ? readdirSync(modelFolder).toSorted() : [];
  /** @type {import('./parts.js').Model[]} */
  const models = [];
  /** @type {string[]} */
  const refused = [];
  const hasGraph = (/** @type {string} */ name) =>
    ['', 'onnx'].some((place) => {
      const folder = join(modelFolder, name, place);
      return existsSync(folder) && readdirSync(folder).some((file) => file.endsWith('.onnx'));
    });
  for (const name of names.filter((one) => !one.includes('.gguf') && hasGraph(one))) {
    await add(name, join(modelFolder, name));
  }
  const bundled = ['chat', 'embed', 'whisper', 'detect', 'image', 'rerank', 'speech'];
  const given = new Set(models.map(({ category }) => category));
  for (const name of bundled.map((one) => `tiny-${one}`)) await add(name, name, given);
  const suffix = '-gqa-int4';
  return {
    models,
    refused,
    shapes: names.filter((one) => one.endsWith(suffix)).map((one) => basename(one, suffix)),
  };

  /** @param {string} name @param {string} source @param {Set<string>} [besides] categories that aren't needed */
  async function add(name, source, besides) {
    try {
      const { category, contextLength } = await gatherFacts(await describeModel(source), undefined);
      if (!besides?.has(category)) models.push({ name, source, category, contextLength });
    } catch (error) {
      refused.push(`${name}: ${/** @type {Error} */ (error).message}`);
    }
  }
}

/**
 * Runs a part in a process of its own, so that what a driver ends is that part.
 *
 * @param {readonly string[]} command
 * @param {number} leftMs
 * @returns {Promise<string | undefined>} what went wrong
 */
async function runPart(command, leftMs) {
  // One part that takes long leaves time to others.
  const limitMs = Math.min(leftMs, Math.max(60_000, leftMs / 5));
  // A group of its own, so that what it started ends with it.
  const detached = process.platform !== 'win32';
  const child = spawn(process.execPath, command, {
    cwd: root,
    detached,
    stdio: /** @type {['ignore', 'ignore', 'pipe']} */ (['ignore', 'ignore', 'pipe']),
  });
  /** @param {NodeJS.Signals} signal */
  const end = (signal) => {
    try {
      return detached && child.pid ? process.kill(-child.pid, signal) : child.kill(signal);
    } catch {
      // It has ended by itself.
      return false;
    }
  };
  const interrupt = () => {
    end('SIGKILL');
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (messages += text));
  let isLate = false;
  // The load generator writes what it measured by then.
  const late = setTimeout(() => (isLate = end('SIGINT')), limitMs);
  const tooLate = setTimeout(() => end('SIGKILL'), limitMs + 10_000);
  const [code, signal] = await new Promise((done) => {
    child.on('close', (...how) => done(how));
    child.on('error', (error) => done([error.message, null]));
  });
  clearTimeout(late);
  clearTimeout(tooLate);
  process.off('SIGINT', interrupt);
  if (isLate) return `${stopped} after ${Math.round(limitMs / 1000)} s`;
  const lines = messages.split('\n').filter(Boolean);
  if (code === 0) return lines.filter((line) => line.includes('is left out')).join('\n') || undefined;
  const reason = lines.findLast((line) => /^(\w*Error\b|slashv1)/.test(line)) ?? lines.at(-1) ?? '';
  return `${signal ? `ended by ${signal}` : `failed with ${code}`}: ${reason}`;
}

/** @param {import('./parts.js').Part} part */
function readPart({ kind, device, command }) {
  const file = command.at(-1) ?? '';
  if (!existsSync(file)) return {};
  const content = JSON.parse(readFileSync(file, 'utf8'));
  if (kind === 'peers') return { peers: content.results };
  if (kind !== 'answers') return { runs: content.runs };
  const reference = file.replace(new RegExp(`-${device}\\.json$`), '-cpu.json');
  if (device === 'cpu' || !existsSync(reference)) return {};
  return { differences: compareAnswers(JSON.parse(readFileSync(reference, 'utf8')), content) };
}
