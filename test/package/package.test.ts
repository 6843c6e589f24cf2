import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';

import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
};
const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === 'string' ? [] : [[name, entry.default, entry.types] as const],
);
const fileOf = (name: string): string => join(root, entries.find(([one]) => one === name)![1]);

describe('the packed tarball', () => {
  let folder: string;
  let tarball: { filename: string; size: number; files: { path: string }[] };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slashv1-pack-'));
    const pack = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
    tarball = (JSON.parse((await run('npm', pack, { cwd: root })).stdout) as [typeof tarball])[0];
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('stays below 1.34 MB and holds neither models nor sources nor tests', () => {
    expect(tarball.size).toBeLessThan(1_340_000);
    const foreign = tarball.files.filter(
      ({ path }) =>
        !/^(dist\/lib\/[\w-]+\.js(\.map)?|dist\/lib\/licences\.md|dist\/(src|adapters)\/.*\.d\.ts|dist\/src\/playground\/page\/[a-z-]+\.(js|html|css|svg|md)|[^/]+\.(md|json)|LICENSE)$/.test(
          path,
        ),
    );
    expect(foreign).toEqual([]);
  });

  it('has the declarations that its entries reach, and no others', async () => {
    const declarations = new Set(
      tarball.files.map(({ path }) => path).filter((path) => path.endsWith('.d.ts')),
    );
    const named = new Set(entries.map(([, , types]) => join(types)));
    for (const path of declarations) {
      const { importedFiles } = ts.preProcessFile(await readFile(join(root, path), 'utf8'));
      for (const { fileName } of importedFiles) {
        if (fileName.startsWith('.')) named.add(join(dirname(path), fileName.replace(/\.ts$/, '.d.ts')));
      }
    }
    expect([...declarations].toSorted()).toEqual([...named].toSorted());
  });

  it('pleases publint', async () => {
    const { messages } = await publint({ pkgDir: root, level: 'warning', strict: true });
    expect(messages).toEqual([]);
  }, 120_000);

  it('has the right types for every entry', async () => {
    const attw = [
      'attw',
      join(folder, tarball.filename),
      '--profile',
      'esm-only',
      '--format',
      'json',
      '--no-emoji',
    ];
    const { stdout } = await run('npx', ['--no-install', ...attw], { cwd: root, maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string }) => error,
    );
    const { analysis } = JSON.parse(stdout) as { analysis: { entrypoints: object; problems: object[] } };
    expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(entries.map(([name]) => name)));
    // CommonJS callers can `import()` an ESM package; that it has no CommonJS build is what `esm-only` says.
    const ignored = new Set(['CJSResolvesToESM', 'NoResolution']);
    expect(
      analysis.problems.filter((problem) => !('kind' in problem && ignored.has(String(problem.kind)))),
    ).toEqual([]);
  }, 120_000);
});

describe('entries', () => {
  it.each(entries)('%s is an existing file and has declarations', async (_name, ...files) => {
    for (const file of files) await expect(readFile(join(root, file), 'utf8')).resolves.toBeTypeOf('string');
  });

  it('stack traces name the sources where Node reads maps', async () => {
    const script =
      "import { createInference } from 'slashv1'; try { createInference({ modelz: {} }) } catch (error) { console.log(error.stack) }";
    const flags = ['--enable-source-maps', '--input-type=module', '-e', script];
    const { stdout } = await run(process.execPath, flags, { cwd: root });
    const source = await readFile(join(root, 'src/inference.ts'), 'utf8');
    const line = source.split('\n').findIndex((text) => text.includes("assertOptions('createInference'")) + 1;
    expect(stdout.replaceAll('\\', '/')).toContain(`/src/inference.ts:${line}:`);
  });

  const withoutRequire = process.features.require_module ? undefined : 'a Node that can require ES modules';
  it.each(entries)('%s can be required', needs(withoutRequire), async (name) => {
    const code = `require('slashv1${name.slice(1)}')`;
    await expect(run(process.execPath, ['-e', code], { cwd: root })).resolves.toMatchObject({ stdout: '' });
  });

  it.each([
    ['./sampling', 77_500],
    ['./chat', 166_000],
    ['./tokenization', 153_500],
    ['./vision', 51_500],
    ['./audio', 182_000],
    ['./embedding', 13_700],
    ['./diffusion', 69_000],
  ])('%s imports no package and stays below %i bytes', async (name, limit) => {
    const { packages, bytes } = await closureOf(fileOf(name));
    expect([...packages]).toEqual([]);
    expect(bytes).toBeLessThan(limit);
  });

  it.each([
    ['./metrics', 30_500],
    ['./telemetry', 9_100],
  ])('%s imports no package before it is used and stays below %i bytes', async (name, limit) => {
    const { packages, bytes } = await closureOf(fileOf(name));
    expect([...packages].filter((wanted) => !wanted.startsWith('node:'))).toEqual([]);
    expect(bytes).toBeLessThan(limit);
  });

  it('./playground imports Node alone and stays below 9000 bytes, its page below 155000 at first', async () => {
    const { packages, bytes } = await closureOf(fileOf('./playground'));
    expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(bytes).toBeLessThan(9_000);
    const page = join(root, 'dist/src/playground/page');
    const sizeOf = async (name: string) => (await stat(join(page, name))).size;
    expect(await sizeOf('grammars.js')).toBeLessThan(82_000);
    // Loaded when they are needed; the licences are never sent.
    const others = new Set([
      'grammars.js',
      'capture-worklet.js',
      'endpoint-views.js',
      'show-load.js',
      'wav.js',
      'licences.md',
    ]);
    const sizes = (await readdir(page)).filter((name) => !others.has(name)).map(sizeOf);
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(155_000);
  });

  it('. loads no native code and no package', async () => {
    const { packages } = await closureOf(fileOf('.'));
    expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
    const script =
      "await import('slashv1'); console.log(process.report.getReport().sharedObjects.filter((file) => file.endsWith('.node')).length)";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
    expect(stdout.trim()).toBe('0');
  });
});

/** Everything that is loaded with a file: its static imports, followed. */
async function closureOf(entry: string): Promise<{ packages: Set<string>; bytes: number }> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  let bytes = 0;
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = await readFile(file, 'utf8');
    bytes += Buffer.byteLength(source);
    for (const [, target] of source.matchAll(/^(?:import|export)\b[^'"=();]*['"]([^'"]+)['"]/gm)) {
      if (target!.startsWith('.')) await visit(join(dirname(file), target!));
      else
        packages.add(
          target!
            .split('/')
            .slice(0, target!.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    }
  };
  await visit(entry);
  return { packages, bytes };
}
