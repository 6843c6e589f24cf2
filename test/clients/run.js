// Runs the happy paths of client libraries against the service of `npm start` and prints a table: node test/clients/run.js
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outcomesOf, startService } from './programs.js';

const here = import.meta.dirname;

const { values: options } = parseArgs({
  options: {
    python: { type: 'boolean', default: false },
    only: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'slashv1-clients') },
    venv: { type: 'string' },
  },
});

/** @typedef {import('./programs.js').Outcome} Outcome */

/** Programs by the file of what they need; some libraries want the `openai` of yesterday. */
const pythonPrograms = /** @type {const} */ ([
  ['requirements', ['openai', 'anthropic', 'pydantic-ai', 'openai-agents', 'langchain', 'llm', 'lm-eval']],
  ['requirements-openai-2', ['litellm', 'instructor']],
  ['requirements-frameworks', ['llama-index', 'haystack', 'dspy', 'smolagents']],
  ['requirements-agents', ['langgraph', 'outlines', 'semantic-kernel', 'inspect', 'autogen']],
]);

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
  for (const name of ['ai-sdk', 'langchain']) {
    yield { name, command: process.execPath, file: join(here, 'js', `${name}.js`) };
  }
  for (const name of ['in-process', 'llamaindex'])
    yield { name, command: process.execPath, file: join(folder, `js/${name}.js`) };
  if (!options.python) return;
  for (const [requirements, names] of pythonPrograms) {
    const venv = join(options.venv ?? join(folder, 'venv'), requirements);
    const python = join(venv, 'bin/python');
    if (!existsSync(python)) must('python3', ['-m', 'venv', venv]);
    must(python, ['-m', 'pip', 'install', '-q', '-r', join(here, 'python', `${requirements}.txt`)]);
    for (const name of names) {
      const file = join(here, 'python', `${name.replaceAll('-', '_')}_paths.py`);
      yield { name: `python-${name}`, command: python, file };
    }
  }
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
const { baseURL, stop } = await startService();
try {
  const outcomes = [];
  for (const program of chosen) outcomes.push(...(await outcomesOf(program, baseURL)));
  print(outcomes);
} finally {
  stop();
}
