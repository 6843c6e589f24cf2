import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateDecoder, openModelFolder } from '../../src/folder/model-folder.ts';
import { bundledModelNames } from '../../src/folder/bundled-models.ts';
import { locateModel, parseSource } from '../../src/folder/source.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-source-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('locateModel', () => {
  it.each(bundledModelNames)('finds the bundled model %s', (name) =>
    expect(basename(locateModel(name))).toBe(name),
  );

  it('finds a folder with a config', async () => {
    expect(() => locateModel(folder)).toThrow(expect.objectContaining({ param: 'source' }));
    await writeFile(join(folder, 'config.json'), '{}');
    expect(locateModel(folder)).toBe(folder);
  });

  it('says what was looked for', () => {
    expect(() => locateModel('no/such-model')).toThrow(
      /bundled models \(tiny-chat, .*\).*"no\/such-model"\.$/,
    );
  });
});

describe('parseSource', () => {
  const hub = (id: string, revision = 'main') => ({ kind: 'hub', id, revision, dtype: undefined });

  it.each([
    ['tiny-chat', { kind: 'local' }],
    ['./no/such-folder', { kind: 'local' }],
    ['/no/such-folder', { kind: 'local' }],
    ['../no/such-folder', { kind: 'local' }],
    ['models/detector.onnx', { kind: 'local' }],
    ['a/b/c', { kind: 'local' }],
    ['nothing', { kind: 'local' }],
    ['test/folder', { kind: 'local' }],
    ['org/name', hub('org/name')],
    ['org/name-v1.5_x@v1.0', hub('org/name-v1.5_x', 'v1.0')],
    ['org/name@refs/pr/1', hub('org/name', 'refs/pr/1')],
    ['org/name@feature--x', hub('org/name', 'feature--x')],
    ['org/name/file.gguf', { kind: 'hub', id: 'org/name', revision: 'main', file: 'file.gguf' }],
    ['org/name@v1/q4/file.gguf', { kind: 'hub', id: 'org/name', revision: 'v1', file: 'q4/file.gguf' }],
    ['org/name/../file.gguf', { kind: 'local' }],
    ['org/file.gguf', { kind: 'local' }],
    ['./org/name/file.gguf', { kind: 'local' }],
    ['org/name/model.onnx', { kind: 'local' }],
    ['org/name@..', { kind: 'local' }],
    ['org/name@refs/../../x', { kind: 'local' }],
    ['org/name@/etc', { kind: 'local' }],
    ['org/na--me', { kind: 'local' }],
    ['org/na..me', { kind: 'local' }],
    ['https://host.test/a/b', { kind: 'url', base: 'https://host.test/a/b/' }],
    ['http://host.test:8080/', { kind: 'url', base: 'http://host.test:8080/' }],
  ])('takes %s for %j', (source, meaning) => {
    expect(parseSource(source, 'chat')).toEqual(meaning);
  });

  it.each([
    'https://host.test/a?token=x',
    'https://user:password@host.test/a',
    'https://host.test/#a',
    'https://',
  ])('refuses %s without showing it', (source) => {
    expect(() => parseSource(source, 'chat')).toThrow(
      /^source: expected the address of a folder without query/,
    );
  });

  it('refuses what the catalogue has for another category', () => {
    expect(() => parseSource('whisper-medium', 'chat')).toThrow(
      'source: "whisper-medium" is a model for transcription, not for chat',
    );
  });
});

describe('openModelFolder', () => {
  it('names the file that is missing or broken', async () => {
    await expect(openModelFolder(folder)).rejects.toThrow('tokenizer.json is missing');
    await writeFile(join(folder, 'tokenizer.json'), '{ broken');
    await expect(openModelFolder(folder)).rejects.toThrow('tokenizer.json in');
  });

  it('reads templates from their own file, from the config, and by name', async () => {
    await writeFile(join(folder, 'tokenizer.json'), '{}');
    const named = [
      { name: 'default', template: 'a' },
      { name: 'tool_use', template: 'b' },
    ];
    await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: named }));
    expect((await openModelFolder(folder)).chatTemplate).toEqual({ default: 'a', tool_use: 'b' });
    await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: 'c' }));
    expect((await openModelFolder(folder)).chatTemplate).toBe('c');
    await writeFile(join(folder, 'chat_template.jinja'), 'd');
    expect((await openModelFolder(folder)).chatTemplate).toBe('d');
  });

  it('lists the places of a graph that is missing', () => {
    expect(() => locateDecoder(folder)).toThrow('onnx/model.onnx, onnx/decoder_model_merged.onnx');
  });
});
