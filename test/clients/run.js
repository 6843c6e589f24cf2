// Runs the happy paths of client libraries against the service of `npm start` and prints a table: node test/clients/run.js
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const root = join(here, '../..');
const apiKey = 'sk-of-the-client-tests';

const { values: options } = parseArgs({
  options: {
    python: { type: 'boolean', default: false },
    only: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'slashv1-clients') },
    venv: { type: 'string' },
  },
});

/** @typedef {{ client: string, path: string, ok: boolean, reason?: string }} Outcome */

/** @param {string} command @param {string[]} args @param {string} [cwd] */
function must(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** The programs of clients: what runs each, and the file. */
function* programs() {
  const folder = options.folder;
  mkdirSync(folder, { recursive: true });
  cpSync(join(here, 'package.json'), join(folder, 'package.json'));
  cpSync(join(here, 'js'), join(folder, 'js'), { recursive: true });
  must('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  for (const name of ['openai', 'ai-sdk', 'langchain', 'in-process']) {
    yield { name, command: process.execPath, file: join(folder, 'js', `${name}.js`) };
  }
  if (!options.python) return;
  const venv = options.venv ?? join(folder, 'venv');
  const python = join(venv, 'bin/python');
  if (!existsSync(python)) must('python3', ['-m', 'venv', venv]);
  must(python, ['-m', 'pip', 'install', '-q', '-r', join(here, 'python/requirements.txt')]);
  for (const name of [
    'openai',
    'litellm',
    'instructor',
    'pydantic-ai',
    'openai-agents',
    'langchain',
    'lm-eval',
  ]) {
    const file = join(here, 'python', `${name.replaceAll('-', '_')}_paths.py`);
    yield { name: `python-${name}`, command: python, file };
  }
}

/** Starts the service on a free port; gives its base URL when its models are loaded. */
async function startService() {
  const env = { ...process.env, PORT: '0', SLASHV1_API_KEY: apiKey };
  const service = spawn(process.execPath, [join(root, 'examples/serve.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: service.stdout })) {
    const baseURL = / on (http:\S+\/v1),/.exec(line)?.[1];
    if (baseURL === undefined) continue;
    service.stdout.resume();
    return { service, baseURL };
  }
  throw new Error('The service did not start.');
}

/** @param {{ command: string, file: string, name: string }} program @param {string} baseURL @returns {Promise<Outcome[]>} */
async function outcomesOf({ command, file, name }, baseURL) {
  const recording = join(root, 'test/e2e/media/speech.wav');
  const picture = join(root, 'test/e2e/media/picture.png');
  const env = {
    ...process.env,
    BASE_URL: baseURL,
    API_KEY: apiKey,
    SLASHV1: root,
    RECORDING: recording,
    PICTURE: picture,
    MODELS: join(root, 'examples/models'),
  };
  const child = spawn(command, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Outcome[]} */
  const outcomes = [];
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"client"')) outcomes.push(JSON.parse(line));
  }
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0)
    outcomes.push({ client: name, path: 'start', ok: false, reason: errors.slice(-2000) });
  return outcomes;
}

/** @param {readonly Outcome[]} outcomes */
function print(outcomes) {
  const clients = [...new Set(outcomes.map(({ client }) => client))];
  const paths = [...new Set(outcomes.map(({ path }) => path))];
  const cell = (/** @type {string} */ client, /** @type {string} */ path) => {
    const found = outcomes.find((outcome) => outcome.client === client && outcome.path === path);
    return found === undefined ? '–' : found.ok ? 'ok' : 'FAILED';
  };
  console.log(`| client | ${paths.join(' | ')} |\n| --- |${' --- |'.repeat(paths.length)}`);
  for (const client of clients) {
    console.log(`| ${client} | ${paths.map((path) => cell(client, path)).join(' | ')} |`);
  }
  const failed = outcomes.filter(({ ok }) => !ok);
  for (const { client, path, reason } of failed) console.log(`\n${client}, ${path}: ${reason}`);
  console.log(`\n${outcomes.length - failed.length} of ${outcomes.length} paths are ok.`);
  if (failed.length > 0) process.exitCode = 1;
}

const chosen = [...programs()].filter(
  ({ name }) => options.only === undefined || options.only.split(',').includes(name),
);
const { service, baseURL } = await startService();
try {
  const outcomes = [];
  for (const program of chosen) outcomes.push(...(await outcomesOf(program, baseURL)));
  print(outcomes);
} finally {
  service.kill();
}
