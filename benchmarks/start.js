// How long a process takes until it can use a package: its import, its help, and a model that is loaded. Each measurement is a
// fresh process; the contenders run in turns, in another order each round. Prints medians and ratios.
// Usage: node benchmarks/start.js [--rounds 11] [--before FOLDER] [--node-modules FOLDER]
//   --before: another version of this repository, built; --node-modules: the folder that has node-llama-cpp
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compare, machine, printRatios } from './measure.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    before: { type: 'string' },
    'node-modules': { type: 'string' },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const rounds = Number(values.rounds);
const model = join(dirname(fileURLToPath(import.meta.resolve('@slashv1/tiny-models'))), 'tiny-chat');

/** The file of an entry or a program of a repository, as its manifest names it. @param {string} folder @param {'.' | 'bin'} name */
function fileOf(folder, name) {
  const { bin, exports } = createRequire(import.meta.url)(join(folder, 'package.json'));
  const entry = name === 'bin' ? bin.slashv1 : (exports[name].default ?? exports[name]);
  return join(folder, entry);
}

/** @param {readonly string[]} args @returns {number} milliseconds until the process ends */
function time(args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')}: ${stderr}`);
  return performance.now() - start;
}

/** @param {string} code */
const timeCode = (code) => () => time(['--input-type=module', '--eval', code]);
/** @param {string} file */
const timeImport = (file) => timeCode(`import ${JSON.stringify(file)};`);
/** @param {string} folder */
const timeModel = (folder) =>
  timeCode(`
    import { chat, createInference } from ${JSON.stringify(String(pathToFileURL(fileOf(folder, '.'))))};
    const inference = createInference({ models: { model: chat({ source: ${JSON.stringify(model)} }) } });
    await inference.ready();
    await inference.close();`);

const versions = { slashv1: root, ...(values.before && { 'slashv1 before': values.before }) };
/** @param {(folder: string) => () => number} measure */
const ofVersions = (measure) =>
  Object.fromEntries(Object.entries(versions).map(([name, folder]) => [name, measure(folder)]));
const llama = values['node-modules'] && join(values['node-modules'], 'node-llama-cpp');
if (llama && !existsSync(llama)) throw new Error(`${llama} is missing`);

console.log(`${machine()}, ${rounds} rounds`);
const imports = {
  'transformers.js': timeImport('@huggingface/transformers'),
  ...ofVersions((folder) => timeImport(String(pathToFileURL(fileOf(folder, '.'))))),
  zod: timeImport('zod'),
  ...(llama && { 'node-llama-cpp': timeImport(String(pathToFileURL(join(llama, 'dist/index.js')))) }),
  'Node alone': timeCode(''),
};
printRatios('import', await compare(imports, rounds), { unit: 'ms', baseline: 'transformers.js', digits: 0 });

const helps = {
  'transformers.js, import alone': timeImport('@huggingface/transformers'),
  ...ofVersions((folder) => () => time([fileOf(folder, 'bin'), '--help'])),
  ...(llama && { 'node-llama-cpp': () => time([join(llama, 'dist/cli/cli.js'), '--help']) }),
};
const baseline = 'transformers.js, import alone';
printRatios('--help', await compare(helps, rounds), { unit: 'ms', baseline, digits: 0 });

const models = {
  'transformers.js': timeCode(`
    import { AutoModelForCausalLM, AutoTokenizer, env } from '@huggingface/transformers';
    env.allowRemoteModels = false;
    const source = ${JSON.stringify(model)};
    const model = await AutoModelForCausalLM.from_pretrained(source, { dtype: 'fp32' });
    await AutoTokenizer.from_pretrained(source);
    await model.dispose();`),
  ...ofVersions(timeModel),
};
printRatios('a small chat model is loaded, by slashv1 in a worker process', await compare(models, rounds), {
  unit: 'ms',
  baseline: 'transformers.js',
  digits: 0,
});
