import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openKokoroFolder,
  readVoice,
} from '../../src/categories/speech/architectures/kokoro/kokoro-folder.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'slashv1-speech-folder-'));
});
afterAll(() => rm(root, { recursive: true }));

let folders = 0;
async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const path = join(root, String((folders += 1)));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}

const graph = { 'onnx/model.onnx': '' };
const voices = { 'voices/b.bin': '', 'voices/a.bin': '', 'voices/notes.txt': '' };

describe('openKokoroFolder', () => {
  it('takes the vocabulary of the config', async () => {
    const vocab = { a: 1, ʧ: 2, ab: 3, $: 0, x: 'y' };
    const path = await write({ ...graph, ...voices, 'config.json': JSON.stringify({ vocab }) });
    const folder = await openKokoroFolder(path);
    expect([...folder.vocabulary]).toEqual([
      ['a', 1],
      ['ʧ', 2],
    ]);
    expect([...folder.voices]).toEqual([
      ['a', join(path, 'voices', 'a.bin')],
      ['b', join(path, 'voices', 'b.bin')],
    ]);
    expect(folder.graph).toBe(join(path, 'onnx', 'model.onnx'));
    expect(folder.maxPhonemes).toBe(510);
  });

  it('or that of the tokenizer', async () => {
    const tokenizer = JSON.stringify({ model: { vocab: { $: 0, a: 43 } } });
    const path = await write({ ...graph, ...voices, 'config.json': '{}', 'tokenizer.json': tokenizer });
    expect([...(await openKokoroFolder(path)).vocabulary]).toEqual([['a', 43]]);
  });

  it.each([
    [{ plbert: { max_position_embeddings: 512 } }, 510],
    [{ max_position_embeddings: 100 }, 98],
  ])('reads the limit of %j', async (config, limit) => {
    const path = await write({
      ...graph,
      ...voices,
      'config.json': JSON.stringify({ vocab: { a: 1 }, ...config }),
    });
    expect((await openKokoroFolder(path)).maxPhonemes).toBe(limit);
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['config.json', { ...graph, ...voices }, /config\.json is missing/],
    ['graph', { ...voices, 'config.json': '{"vocab":{"a":1}}' }, /none of onnx\/model\.onnx/],
    ['voices', { ...graph, 'config.json': '{"vocab":{"a":1}}' }, /expected voices as \.bin files/],
    ['vocabulary', { ...graph, ...voices, 'config.json': '{"vocab":7}' }, /expected the phonemes/],
  ])('refuses a folder without %s', async (_title, files, message) => {
    const opening = openKokoroFolder(await write(files));
    await expect(opening).rejects.toMatchObject({ code: 'invalid_request', param: 'source' });
    await expect(opening).rejects.toThrow(message);
  });
});

describe('readVoice', () => {
  it('reads little-endian numbers', async () => {
    const path = await write({ 'v.bin': Uint8Array.of(0, 0, 128, 63, 0, 0, 0, 192) });
    expect(await readVoice(join(path, 'v.bin'), 2)).toEqual(Float32Array.of(1, -2));
  });

  it.each([
    ['half a row', new Uint8Array(12)],
    ['nothing', new Uint8Array()],
    ['infinity', Uint8Array.of(0, 0, 128, 127, 0, 0, 0, 0)],
  ])('refuses %s', async (_title, bytes) => {
    const path = await write({ 'v.bin': bytes });
    await expect(readVoice(join(path, 'v.bin'), 2)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
