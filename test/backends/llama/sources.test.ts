import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelOptions } from '../../../src/contracts/model.ts';
import { loadPipeline } from '../../../src/loading/load-pipeline.ts';
import { checkModel } from '../../../src/loading/settings.ts';
import { obtainModel } from '../../../src/loading/files.ts';
import { describeModel, recognizeModel } from '../../../src/loading/facts.ts';
import { startHub, type HubServer } from '../../hub/hub-server.ts';
import { tinyChatAsGguf } from './tiny-gguf.ts';
import { writeGguf } from './write-gguf.ts';
import { missingLlama, needs } from '../../needs.ts';

let folder: string;
let hub: HubServer;
let settings: { readonly endpoint: string; readonly cacheFolder: string };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slashv1-gguf-'));
  hub = await startHub();
  settings = { endpoint: hub.endpoint, cacheFolder: join(folder, 'cache') };
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});
const write = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const fileOf = (metadata: Parameters<typeof writeGguf>[0]) => writeGguf(metadata, []);

describe('the category of a GGUF file', () => {
  it.each([
    ['chat', { 'general.architecture': 'qwen3' }],
    ['chat', { 'general.architecture': 'llama', 'general.type': 'model', 'llama.pooling_type': 0 }],
    ['embedding', { 'general.architecture': 'qwen3', 'qwen3.pooling_type': 3 }],
    ['embedding', { 'general.architecture': 'nomic-bert' }],
    ['embedding', { 'general.architecture': 'bert', 'bert.pooling_type': 1 }],
    ['rerank', { 'general.architecture': 'bert', 'bert.pooling_type': 4 }],
  ])('is %s for %j', (category, metadata) => {
    const path = write('any.gguf', fileOf(metadata));
    expect(recognizeModel(path)).toBe(category);
    expect(checkModel('models.a', { source: path })).toMatchObject({ category });
  });

  it.each([
    [{ 'general.architecture': 'clip' }, 'sees pictures, not a model'],
    [{ 'general.architecture': 'llama', 'general.type': 'adapter' }, 'an adapter (LoRA), not a model'],
    [{}, 'says no general.architecture'],
  ])('is refused for %j', (metadata, reason) => {
    const path = write('part.gguf', fileOf(metadata as never));
    expect(() => recognizeModel(path)).toThrow(reason);
  });

  it('is refused for a file that is none', () => {
    const path = write('noise.gguf', new Uint8Array(100));
    expect(() => recognizeModel(path)).toThrow("can't be read as GGUF: magic: expected GGUF");
    const cut = write('cut.gguf', tinyChatAsGguf().subarray(0, 5000));
    expect(() => recognizeModel(cut)).not.toThrow();
  });
});

describe('settings of a GGUF file', () => {
  it.each<[string, Partial<ModelOptions> & Record<string, unknown>, string]>([
    ['dtype', { dtype: 'q4' }, 'models.a.dtype: a model with the backend llama({…}) has no such setting'],
    ['device', { device: 'cpu' }, 'models.a.device: '],
    ['gpu', { backend: { kind: 'llama', gpu: 'webgl' } as never }, 'models.a.backend.gpu: '],
    ['gpuLayers', { backend: { kind: 'llama', gpuLayers: -1 } as never }, 'models.a.backend.gpuLayers: '],
    [
      'cacheTokens',
      { backend: { kind: 'llama', cacheTokens: 0 } as never },
      'models.a.backend.cacheTokens: ',
    ],
    ['category', { category: 'image' }, "a model for image can't run on llama({…})"],
  ])('%s is checked', (_name, given, message) => {
    expect(() => checkModel('models.a', { source: './a.gguf', category: 'chat', ...given })).toThrow(message);
  });
});

describe('a GGUF file on the hub', { timeout: 120_000 }, () => {
  const source = 'org/tiny-gguf/q4/tiny.gguf';
  beforeAll(() => {
    hub.models.set(
      'org/tiny-gguf',
      new Map<string, Uint8Array>([
        ['README.md', new TextEncoder().encode('# Tiny')],
        ['q4/tiny.gguf', tinyChatAsGguf()],
        ['other.gguf', new Uint8Array(10)],
        ['two-00001-of-00002.gguf', fileOf({ 'general.architecture': 'bert' })],
        ['two-00002-of-00002.gguf', new Uint8Array(10)],
      ]),
    );
  });

  it('shows its category without a download', async () => {
    const model = await describeModel(source, { hub: settings });
    expect(model).toMatchObject({ kind: 'hub', category: 'chat', folder: undefined });
    expect(model.files.map(({ path }) => path)).toEqual(['q4/tiny.gguf']);
  });

  it('is downloaded alone', async () => {
    const obtained = await obtainModel({ source, category: 'chat', hub: settings });
    expect(obtained.source).toMatch(/\/snapshots\/\w+\/q4\/tiny\.gguf$/);
    expect(hub.requests.filter(({ path }) => path.includes('other.gguf'))).toEqual([]);
    expect(await describeModel(source, { hub: settings })).toMatchObject({ category: 'chat', kind: 'hub' });
  });

  it('comes with its parts', async () => {
    const two = await describeModel('org/tiny-gguf/two-00001-of-00002.gguf', { hub: settings });
    expect(two.files.map(({ path }) => path)).toEqual(['two-00001-of-00002.gguf', 'two-00002-of-00002.gguf']);
    expect(two.category).toBe('embedding');
  });

  it.each([
    ['org/tiny-gguf/none.gguf', '"org/tiny-gguf" has no none.gguf, only other.gguf, two-00001'],
    ['org/tiny-gguf', 'it has GGUF files: give one of them as source, such as "org/tiny-gguf/other.gguf"'],
  ])('%s is refused with those that are there', async (wrong, reason) => {
    await expect(obtainModel({ source: wrong, category: 'chat', hub: settings })).rejects.toThrow(reason);
  });

  it('loads', needs(missingLlama), async () => {
    const pipeline = await loadPipeline({ id: 'a', source, hub: settings });
    expect(pipeline.info).toMatchObject({ category: 'chat', contextLength: 2048 });
    await pipeline.close();
  });
});
