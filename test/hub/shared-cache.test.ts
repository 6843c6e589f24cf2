/**
 * The cache is shared with the hub's library for Python. What that library writes is noted in golden/python-cache.json;
 * `HUB_PYTHON=python npx vitest run test/hub/shared-cache.test.ts` notes it anew, and lets it read what is
 * written here.
 */
import { execFile } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import type * as fs from 'node:fs/promises';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { obtainModel, type ModelRequest } from '../../src/loading/files.ts';
import { listCachedModels } from '../../src/hub/model-cache.ts';
import { commitOf, filesIn, startHub, type HubServer } from './hub-server.ts';
import { needs } from '../needs.ts';

const symbolicLinks = vi.hoisted(() => ({ areRefused: false }));
vi.mock('node:fs/promises', async (load) => {
  const actual = await load<typeof fs>();
  const refusal = Object.assign(new Error('not permitted'), { code: 'EPERM' });
  const link: typeof fs.symlink = async (...paths) => {
    if (symbolicLinks.areRefused) throw refusal;
    await actual.symlink(...paths);
  };
  return { ...actual, symlink: link };
});

/** Path → text of the file, or `→` and the target of the link. */
type Entries = Readonly<Record<string, string>>;

interface Golden {
  readonly huggingface_hub: string;
  readonly links: Entries;
  /** Where there are no symbolic links. */
  readonly copies: Entries;
}

const goldenPath = new URL('golden/python-cache.json', import.meta.url).pathname;
const script = new URL('golden/python-cache.py', import.meta.url).pathname;
const python = process.env['HUB_PYTHON'];
const run = promisify(execFile);

const files = new Map<string, Uint8Array>([
  ['README.md', Buffer.from('# A model\n')],
  ['config.json', Buffer.from('{"model_type":"yolo"}\n')],
  ['onnx/model.onnx', Buffer.from('weights '.repeat(150))],
]);
const needed = ['config.json', 'onnx/model.onnx'];
const commit = commitOf(files);

let hub: HubServer;
let cacheFolder: string;
beforeAll(async () => {
  hub = await startHub();
  for (const id of ['tiny/whole', 'tiny/single']) hub.models.set(id, files);
  if (python !== undefined) writeFileSync(goldenPath, `${JSON.stringify(await runPython(), null, 2)}\n`);
}, 120_000);
afterAll(() => hub.close());
beforeEach(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-shared-'));
  hub.requests.length = 0;
});
afterEach(() => rm(cacheFolder, { recursive: true, force: true }));

async function runPython(): Promise<Golden> {
  const write = async (environment: NodeJS.ProcessEnv): Promise<[string, Entries]> => {
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-python-'));
    const env = { ...process.env, ...environment };
    const { stdout } = await run(python!, [script, 'write', hub.endpoint, folder], { env });
    const entries = entriesOf(folder);
    await rm(folder, { recursive: true });
    return [stdout, entries];
  };
  const [stdout, links] = await write({});
  const [, copies] = await write({ HF_HUB_DISABLE_SYMLINKS: '1' });
  const { huggingface_hub } = JSON.parse(stdout) as Golden;
  return { huggingface_hub, links, copies };
}

/** Locks aside, and the notes of what was compared, which Python doesn't know. */
function entriesOf(folder: string): Entries {
  const paths = filesIn(folder).filter((path) => !/^\.locks\/|^CACHEDIR\.TAG$|\/verified\//.test(path));
  return Object.fromEntries(
    paths.map((path) => {
      const at = join(folder, path);
      return [path, lstatSync(at).isSymbolicLink() ? `→ ${readlinkSync(at)}` : readFileSync(at, 'utf8')];
    }),
  );
}

function entriesOfWhole(entries: Entries): Entries {
  return Object.fromEntries(
    Object.entries(entries).filter(([path]) => path.startsWith('models--tiny--whole/')),
  );
}

async function restore(entries: Entries): Promise<void> {
  for (const [path, text] of Object.entries(entries)) {
    const at = join(cacheFolder, path);
    await mkdir(dirname(at), { recursive: true });
    if (text.startsWith('→ ')) await symlink(text.slice(2), at);
    else await writeFile(at, text);
  }
}

async function obtain(source: string, { offline = false, ...more }: Partial<ModelRequest['hub']> = {}) {
  const warnings: string[] = [];
  const model = await obtainModel(
    { source, category: 'detection', hub: { endpoint: hub.endpoint, cacheFolder, offline, ...more } },
    { onWarning: (warning) => warnings.push(warning) },
  );
  return { folder: model.source, warnings };
}

const golden = () => JSON.parse(readFileSync(goldenPath, 'utf8')) as Golden;
const snapshotOf = (id: string) => join(cacheFolder, `models--${id.replace('/', '--')}`, 'snapshots', commit);

describe.each(['links', 'copies'] as const)('a cache of %s that Python has written', (kind) => {
  beforeEach(() => restore(golden()[kind]));

  it.each([
    ['tiny/whole', 0],
    ['tiny/single', 1],
  ])('has %s without a network', async (id, warningCount) => {
    const { folder, warnings } = await obtain(id, { offline: true });
    expect(folder).toBe(snapshotOf(id));
    for (const name of needed) expect(readFileSync(join(folder, name))).toEqual(files.get(name));
    expect(warnings).toHaveLength(warningCount);
    expect(hub.requests).toEqual([]);
  });

  it('makes downloads needless', async () => {
    for (const id of ['tiny/whole', 'tiny/single']) {
      expect(await obtain(id)).toEqual({ folder: snapshotOf(id), warnings: [] });
      await obtain(`${id}@${commit}`);
      await obtain(`${id}@${commit.slice(0, 8)}`, { offline: true });
    }
    expect(hub.requests.map(({ path }) => path)).toEqual(
      ['whole', 'single'].map((name) => `/api/models/tiny/${name}/revision/main?blobs=true`),
    );
  });

  it('is listed', async () => {
    const models = await listCachedModels(cacheFolder);
    expect(models.map(({ source, revision, sizeBytes }) => [source, revision, sizeBytes])).toEqual([
      ['tiny/single', 'main', 1222],
      ['tiny/whole', 'main', 1222],
    ]);
  });
});

it('writes what Python writes, entry by entry', async () => {
  await obtain('tiny/whole');
  expect(entriesOf(cacheFolder)).toEqual(entriesOfWhole(golden().links));
});

it('says which part of a model Python has fetched', async () => {
  await restore(golden().links);
  await rm(join(snapshotOf('tiny/single'), 'onnx'), { recursive: true });
  await expect(obtain('tiny/single', { offline: true })).rejects.toThrow(
    'expected onnx/model.onnx, model.onnx or one other .onnx file in the cached part of "tiny/single", found 0',
  );
  await rm(join(snapshotOf('tiny/whole'), 'onnx'), { recursive: true });
  await expect(obtain('tiny/whole', { offline: true })).rejects.toThrow(
    ': onnx/model.onnx of it, and offline mode is on',
  );
});

it('goes without a place to write to where nothing is missing', async () => {
  await restore({ ...golden().links, '.locks': 'a file' });
  expect((await obtain('tiny/single')).folder).toBe(snapshotOf('tiny/single'));
  await rm(join(snapshotOf('tiny/single'), 'config.json'));
  await expect(obtain('tiny/single')).rejects.toThrow(
    /the cache folder .* can't be used \((?:EEXIST|ENOTDIR)\)/,
  );
});

describe('without symbolic links', () => {
  afterEach(() => void (symbolicLinks.areRefused = false));

  it('moves files to their places, as Python does', async () => {
    symbolicLinks.areRefused = true;
    await obtain('tiny/whole');
    expect(entriesOf(cacheFolder)).toEqual(entriesOfWhole(golden().copies));
    hub.requests.length = 0;
    await obtain('tiny/whole');
    expect(hub.downloads()).toEqual([]);
  });

  it('copies what another commit has, too', async () => {
    await restore(golden().links);
    symbolicLinks.areRefused = true;
    hub.models.set('tiny/whole', new Map(files).set('config.json', Buffer.from('{}')));
    const { folder } = await obtain('tiny/whole');
    hub.models.set('tiny/whole', files);
    expect(hub.downloads().map(({ path }) => path)).toEqual([expect.stringMatching(/config\.json$/)]);
    const graph = join(folder, 'onnx/model.onnx');
    expect(lstatSync(graph).isFile()).toBe(true);
    expect(readFileSync(graph)).toEqual(files.get('onnx/model.onnx'));
    expect(readFileSync(join(snapshotOf('tiny/whole'), 'onnx/model.onnx'))).toEqual(readFileSync(graph));
  });
});

it(
  'is read by Python',
  needs(python === undefined ? 'huggingface_hub is not installed for Python' : undefined),
  async () => {
    const { folder } = await obtain('tiny/whole');
    const { stdout } = await run(python!, [script, 'read', cacheFolder, 'tiny/whole']);
    expect(JSON.parse(stdout)).toEqual({
      repos: [['tiny/whole', ['config.json', 'model.onnx'], ['main']]],
      warnings: [],
      files: needed.map((name) => join(folder, name)),
      snapshot: folder,
      whole: false,
    });
    await obtain('tiny/single');
    hub.requests.length = 0;
    await run(python!, [script, 'write', hub.endpoint, cacheFolder]);
    expect(hub.requests.length).toBeGreaterThan(0);
    expect(hub.downloads()).toEqual([]);
  },
);
