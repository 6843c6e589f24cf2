import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { additions, type Addition } from './additions.ts';
import { removals, withoutRooms } from './removals.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
const bundler = join(root, 'node_modules/vite/bin/vite.js');
const bundle = 'vite.package.config.ts';
let copy: string;
let results: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  copy = await copySources();
  for (const addition of additions) await add(addition);
  await compile(copy);
  await run(process.execPath, [bundler, 'build', '--config', bundle], { cwd: copy });
  const uses = additions.map(({ file, use }) => `${JSON.stringify(file)}: await (async () => {${use}})()`);
  const program = `process.stdout.write(JSON.stringify({ ${uses.join(',\n')} }), () => process.exit());`;
  await writeFile(join(copy, 'use.mjs'), program);
  const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: copy });
  results = JSON.parse(stdout) as typeof results;
}, 300_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

async function copySources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'one-line-'));
  for (const name of ['src', 'adapters', 'package.json', 'tsconfig.json', bundle]) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function compile(folder: string, ...more: string[]): Promise<void> {
  const args = ['-p', folder, '--declaration', 'false', '--incremental', 'false', ...more];
  await run(process.execPath, [compiler, ...args]).catch(({ stdout }: { stdout: string }) =>
    expect.fail(stdout),
  );
}

/** Writes the new file; its entry, and the import of its name, are all that changes. */
async function add({ file, text, list, after, entry, name }: Addition): Promise<void> {
  await mkdir(join(copy, 'src', dirname(file)), { recursive: true });
  await writeFile(join(copy, 'src', file), text, { flag: 'wx' });
  const path = join(copy, 'src', list);
  const [before, behind, ...others] = (await readFile(path, 'utf8')).split(after);
  if (before === undefined || behind === undefined || others.length > 0) {
    throw new Error(`${list}: expected ${JSON.stringify(after)} once`);
  }
  const from = relative(dirname(list), file);
  await writeFile(path, `import { ${name} } from './${from}';\n${before}${after}${entry}${behind}`);
}

it('the rest compiles without the optional rooms and their lines', async () => {
  const folder = await copySources();
  try {
    for (const { room } of removals) await rm(join(folder, 'src', room), { recursive: true });
    const rooms = removals.map(({ room }) => room);
    for (const list of new Set(removals.flatMap(({ lists }) => lists))) {
      const path = join(folder, 'src', list);
      await writeFile(path, withoutRooms(list, await readFile(path, 'utf8'), rooms));
    }
    // Names that only the lines used.
    await compile(folder, '--noEmit', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it.each(additions)('a new $row acts by src/$file and a line', ({ file, result }) => {
  expect(results[file]).toEqual(result);
});

it.each(additions)('the page names $list as the list of a new $row', async ({ row, list }) => {
  const page = await readFile(join(root, 'docs/architecture.md'), 'utf8');
  const line = page.split('\n').find((one) => one.startsWith(`| ${row} `));
  expect(line).toContain(basename(list));
});
