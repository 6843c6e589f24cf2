import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import { bundledModelNames } from '../../src/folder/bundled-models.ts';
import { verifyFiles } from '../../src/hub/verify-files.ts';
import { expectPage } from '../docs/generated-page.ts';

const models = resolve(import.meta.dirname, '../../examples/models');
const list = join(models, 'hashes.json');

function hashesOf(folder: string): Record<string, string> {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).map((path) =>
    path.replaceAll(sep, posix.sep),
  );
  const files = paths
    .filter((path) => /\.(?:onnx|bin|json|jinja|txt)$/.test(path) && !path.startsWith('recipe'))
    .sort();
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(files.map((path) => [path, hash(path)]));
}

describe('the bundled models', () => {
  it('have the hashes of hashes.json', async () => {
    const hashes = Object.fromEntries(bundledModelNames.map((name) => [name, hashesOf(join(models, name))]));
    await expectPage('examples/models/hashes.json', () => JSON.stringify(hashes, undefined, 2));
  });

  it.each(bundledModelNames)('%s is intact', async (name) => {
    const { checked, damaged } = await verifyFiles(name);
    expect(checked).toBeGreaterThan(1);
    expect(damaged).toEqual([]);
  });
});

describe('a file with a flipped bit', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-verify-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const graph = 'onnx/model.onnx';
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
  };

  it('of a package of models is found, and not loaded', async () => {
    const source = join(folder, 'package/tiny-detect');
    cpSync(join(models, 'tiny-detect'), source, { recursive: true });
    cpSync(list, join(folder, 'package/hashes.json'));
    await (await loadPipeline({ id: 'm', category: 'detection', source })).close();
    flip(join(source, graph));
    expect(await verifyFiles(source)).toMatchObject({ damaged: [graph] });
    await expect(loadPipeline({ id: 'm', category: 'detection', source })).rejects.toThrow(
      `source: ${graph} of ${source} isn't what it should be; remove the model and get it again.`,
    );
  });

  const commit = 'a'.repeat(40);
  /** As the hub's libraries leave a model in their cache. */
  const downloaded = (name: string): string => {
    const source = join(folder, `models--org--${name}/snapshots`, commit);
    cpSync(join(models, 'tiny-detect'), source, { recursive: true });
    const config = readFileSync(join(source, 'config.json'));
    const id = createHash('sha1').update(`blob ${config.length}\0`).update(config).digest('hex');
    const files = {
      'config.json': { size: config.length, blob_id: id },
      [graph]: { size: 1, blob_id: 'b'.repeat(40), lfs_sha256: hashesOf(source)[graph] },
      'not-downloaded.onnx': { size: 1, blob_id: 'c'.repeat(40) },
      'README.md': { size: 1, blob_id: 'd'.repeat(64) },
    };
    const trees = join(folder, `models--org--${name}/trees`);
    mkdirSync(trees);
    writeFileSync(join(trees, `${commit}.json`), JSON.stringify({ format_version: 1, files }));
    return source;
  };

  it('of a download is found by the id of git or of large file storage', async () => {
    const source = downloaded('name');
    expect(await verifyFiles(source)).toEqual({ checked: 2, damaged: [] });
    flip(join(source, graph));
    flip(join(source, 'config.json'));
    expect(await verifyFiles(source)).toEqual({ checked: 2, damaged: ['config.json', graph] });
  });

  const load = async (source: string, verify?: 'always' | 'changed' | 'never'): Promise<void> =>
    (await loadPipeline({ id: 'm', category: 'detection', source, verify })).close();

  it('of a download is found where the file looks changed, or always', async () => {
    const source = downloaded('changed');
    await load(source);
    flip(join(source, graph));
    await expect(load(source)).rejects.toThrow(`source: ${graph} of ${source} isn't`);
    await expect(load(source, 'changed')).rejects.toThrow("isn't what it should be");
    await load(source, 'never');
    flip(join(source, graph));
    await load(source);
    // A disk that has gone bad: size, time and inode stay.
    const then = new Date('2026-01-01');
    utimesSync(join(source, graph), then, then);
    await load(source);
    flip(join(source, graph));
    utimesSync(join(source, graph), then, then);
    await load(source);
    await expect(load(source, 'always')).rejects.toThrow("isn't what it should be");
    // It is known from now on.
    await expect(load(source)).rejects.toThrow("isn't what it should be");
  });

  it.each([
    ['is damaged', '{'],
    ['comes from a newer version', JSON.stringify({ format_version: 2, files: {} })],
    ['speaks of other hashes', JSON.stringify({ format_version: 1, files: { [graph]: 'sha256:0 1 1 1' } })],
  ])('is found where the note of what was compared %s', async (title, note) => {
    const source = downloaded(title.replaceAll(' ', '-'));
    await load(source);
    const path = join(source, '../../verified', `${commit}.json`);
    expect(JSON.parse(readFileSync(path, 'utf8')).files).toHaveProperty([graph]);
    flip(join(source, graph));
    writeFileSync(path, note);
    await expect(load(source)).rejects.toThrow("isn't what it should be");
  });

  it('of a model in a cache that may only be read is found', async () => {
    const source = downloaded('read-only');
    // A file in the place of the folder stops the superuser, too.
    writeFileSync(join(source, '../../verified'), '');
    await load(source);
    flip(join(source, graph));
    await expect(load(source)).rejects.toThrow("isn't what it should be");
  });

  it('of a folder of one’s own is nobody’s business', async () => {
    const source = join(folder, 'own');
    cpSync(join(models, 'tiny-detect'), source, { recursive: true });
    expect(await verifyFiles(source)).toEqual({ checked: 0, damaged: [] });
  });
});
